import { Readable } from 'node:stream';
import { DESTINATION_NAMES } from '../../../functions/publish-expiries/destinations.ts';
import { clientsOn } from '../../../lab/fuzz/clients.ts';
import type { Network } from '../../../lab/fuzz/network.ts';
import { Services } from '../../../lab/fuzz/services.ts';

test.each(DESTINATION_NAMES)('%s: an event that is sent there in a fuzzed run is taken', async name => {
  const published: string[] = [];
  const services = new Services({ stored: () => {}, published: text => published.push(text) });
  const network: Pick<Network, 'handle'> = {
    async handle(request) {
      const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? '';
      const { status, headers, body } = services.answer(request, operation);
      const texts = Object.entries(headers).map(([header, value]) => [header, String(value)]);
      return {
        response: { statusCode: status, headers: Object.fromEntries(texts), body: Readable.from([body]) },
      };
    },
  };
  const clients = await clientsOn(network as Network);
  const { send } = clients.destination(name, {
    killedAt: Number.POSITIVE_INFINITY,
    tally: new Map(),
  });
  const text = JSON.stringify({ id: 'event-1' });
  const { signal } = new AbortController();
  await expect(send([{ id: 'event-1', key: 'a', text }], { abortSignal: signal })).resolves.toEqual([]);
  expect(published).toEqual([text]);
});
