import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { useFunctions } from '../../support/local-functions.ts';

const { functions, cleanUps } = useFunctions();

async function until(what: () => boolean): Promise<void> {
  while (!what()) await sleep(5);
}

/** Counts threads by a connection that each opens when it loads: the system closes it when the thread ends. */
async function threadCounter() {
  const open = new Set<Socket>();
  let made = 0;
  const server = createServer(socket => {
    made += 1;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  }).listen(0, '127.0.0.1');
  cleanUps.push(() => server.close());
  await new Promise(listening => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  const code = `import { connect } from 'node:net';
    const socket = connect(${port}, '127.0.0.1');
    await new Promise(done => socket.once('connect', done));`;
  return { code, open, made: () => made };
}

const SLOW = `await new Promise(done => setTimeout(done, 50));`;

test('threads that nobody uses end, and the next call has a new one', async () => {
  const { code, open, made } = await threadCounter();
  const local = functions(
    { f: `${code} const id = Math.random(); export const handler = async () => id` },
    {},
    { idleMs: 50 },
  );
  local.warm(3);
  await until(() => made() === 3 && open.size === 0);
  const first = await local.invoke('f', {});
  await until(() => open.size === 0);
  const second = await local.invoke('f', {});
  expect(made()).toBe(5);
  expect(first.ok && second.ok && first.payload !== second.payload).toBe(true);
});

test('no call is lost or made twice when its thread is due to end at that moment', async () => {
  const lines: string[] = [];
  const { code, made } = await threadCounter();
  const local = functions(
    {
      f: `${code} export const handler = async n => {
        console.log(String(n));
        await new Promise(done => setTimeout(done, 3));
        return n;
      }`,
    },
    {},
    { idleMs: 1, onLog: (_, line) => lines.push(line) },
  );
  for (let call = 0; call < 20; call++) {
    expect(await local.invoke('f', call)).toMatchObject({ ok: true, payload: call });
    await sleep(call % 3);
  }
  expect(lines).toEqual(Array.from({ length: 20 }, (_, call) => String(call)));
  expect(made()).toBeGreaterThan(1);
});

test('one caller with many calls does not keep another one waiting', async () => {
  const local = functions({ f: `export const handler = async () => { ${SLOW} }` }, {}, { maxConcurrency: 2 });
  const ended: string[] = [];
  const signal = new AbortController().signal;
  const call = async (child: string, mapRunArn: string | undefined) => {
    await local.invoke(
      'f',
      {},
      { signal, site: { executionArn: child, mapRunArn, state: 'S', enteredEventId: 1 } },
    );
    ended.push(mapRunArn ?? child);
  };
  const replay = Array.from({ length: 12 }, (_, child) => call(`child ${child}`, 'replay'));
  await Promise.all([...replay, call('child of a tick', 'tick'), call('plan', undefined)]);
  expect(ended).toHaveLength(14);
  expect(ended.indexOf('tick')).toBeLessThan(9);
  expect(ended.indexOf('plan')).toBeLessThan(9);
});
