import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Addresses of this machine that a server on 127.0.0.1 does not listen on and one on every interface does. They stand for
 * the machine's address in its network, which a test must not depend on.
 */
const OTHER_ADDRESSES = ['127.0.0.2', '::1'];

/** The other addresses of this machine at which the port of an endpoint accepts a connection: none, if all is well. */
export async function otherAddressesOf(endpoint: string): Promise<string[]> {
  const port = Number(new URL(endpoint).port);
  const open = await Promise.all(OTHER_ADDRESSES.map(host => accepts(host, port)));
  return OTHER_ADDRESSES.filter((_address, index) => open[index]);
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
