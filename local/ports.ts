import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { LocalCloudError } from './errors.ts';

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Checks that a port is free before anything is started: a server would report a used port later and less clearly.
 * @throws {LocalCloudError}
 */
export async function requireFree(port: number, flag: string): Promise<void> {
  if (await isFree(port)) return;
  throw new LocalCloudError(
    `${flag}: expected a free port, got ${port}, on which something listens; stop that, or choose another port with ${flag} N`,
  );
}
