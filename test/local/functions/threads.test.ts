import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedThreads, type Sharer } from '../../../local/functions/shared-threads.ts';
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

test('threads that nobody uses end, down to one', async () => {
  const { code, open, made } = await threadCounter();
  const local = functions(
    { f: `${code} export const handler = async () => 'here'` },
    {},
    { threads: { idleMs: 50 } },
  );
  local.warm(3);
  await until(() => made() === 3 && open.size === 1);
  expect(local.threads).toBe(1);
  expect(await local.invoke('f', {})).toMatchObject({ payload: 'here' });
  expect(made()).toBe(3);
});

test('also the only one ends after a while, and the next call has a new one', async () => {
  const { code, open } = await threadCounter();
  const local = functions(
    { f: `${code} const id = Math.random(); export const handler = async () => id` },
    {},
    { threads: { idleMs: 20, lastIdleMs: 50 } },
  );
  const first = await local.invoke('f', {});
  await until(() => open.size === 0);
  expect(local.threads).toBe(0);
  const second = await local.invoke('f', {});
  expect(first.ok && second.ok && first.payload !== second.payload).toBe(true);
});

test('no call is lost or made twice when its thread is due to end at that moment', async () => {
  const lines: string[] = [];
  const local = functions(
    {
      f: `export const handler = async n => {
        console.log(String(n));
        await new Promise(done => setTimeout(done, 3));
        return n;
      }`,
    },
    {},
    { threads: { idleMs: 1, lastIdleMs: 1 }, onLog: (_, line) => lines.push(line) },
  );
  let threads = 0;
  for (let call = 0; call < 20; call++) {
    if (local.threads === 0) threads += 1;
    expect(await local.invoke('f', call)).toMatchObject({ ok: true, payload: call });
    await sleep(call % 3);
  }
  expect(lines).toEqual(Array.from({ length: 20 }, (_, call) => String(call)));
  expect(threads).toBeGreaterThan(1);
});

test('all functions together have no more threads than are allowed, and each one gets on', async () => {
  const most: number[] = [];
  const local = functions(
    Object.fromEntries(
      ['a', 'b', 'c'].map(name => [name, `export const handler = async n => { ${SLOW} return n; }`]),
    ),
    {},
    { threads: { most: 2 }, onInvocation: () => most.push(local.threads) },
  );
  const calls = ['a', 'b', 'c'].flatMap(name => [1, 2, 3, 4].map(n => [name, n] as const));
  const results = await Promise.all(calls.map(([name, n]) => local.invoke(name, n)));
  expect(results.map(result => result.ok && result.payload)).toEqual(calls.map(([, n]) => n));
  expect(Math.max(...most)).toBe(2);
});

test('a function without a thread waits for the calls before its own, not for those after it', async () => {
  const local = functions(
    {
      busy: `export const handler = async () => { ${SLOW} }`,
      other: 'export const handler = async () => {}',
    },
    {},
    { threads: { most: 1 } },
  );
  const ended: string[] = [];
  const call = async (name: string) => {
    await local.invoke(name, {});
    ended.push(name);
  };
  const names = ['busy', 'busy', 'busy', 'other', 'busy', 'busy'];
  await Promise.all(
    names.map(async (name, index) => {
      // Each a while after the one before.
      for (let turn = 0; turn < index; turn++) await sleep(2);
      await call(name);
    }),
  );
  expect(ended).toEqual(names);
});

test('one caller with many calls does not keep another one waiting', async () => {
  const local = functions(
    { f: `export const handler = async () => { ${SLOW} }` },
    {},
    { maxConcurrency: 2, threads: { most: 2 } },
  );
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
  expect(ended.indexOf('tick')).toBeLessThan(5);
  expect(ended.indexOf('plan')).toBeLessThan(5);
});

test('threads that are loaded beforehand are shared out evenly', async () => {
  const loaded: string[] = [];
  const local = functions(
    Object.fromEntries(
      ['a', 'b', 'c'].map(name => [name, `console.log('loaded'); export const handler = () => {}`]),
    ),
    {},
    { threads: { most: 3 }, onLog: name => loaded.push(name) },
  );
  local.warm(5);
  await until(() => loaded.length === 3);
  expect(loaded.sort()).toEqual(['a', 'b', 'c']);
  expect(local.threads).toBe(3);
});

describe('when there is no place left', () => {
  /** A function with so many threads, one of which has had nothing to do for so long. */
  function sharer(size: number, restingMs?: number) {
    return {
      size,
      waitingSince: undefined,
      restingSince: restingMs === undefined ? undefined : performance.now() - restingMs,
      giveUp: jest.fn(),
      dispatch: jest.fn(),
    } satisfies Sharer;
  }

  const cases: [string, number, [number, number?], boolean][] = [
    ['without a thread gets one that rests', 0, [2, 0], true],
    ['without a thread gets also the only one of another', 0, [1, 0], true],
    ['without a thread gets none that is busy', 0, [2], false],
    ['with a thread gets one that has rested for long', 1, [2, 3_100], true],
    ['with a thread gets none that was used just now', 1, [2, 0], false],
    ['with a thread does not get the only one of another', 1, [1, 60_000], false],
  ];
  test.each(cases)('a function %s', (_name, size, theirs, gets) => {
    const shared = new SharedThreads({ most: 2 });
    const other = sharer(...theirs);
    shared.join(other);
    for (let taken = 0; taken < 2; taken++) shared.take(other);
    expect(shared.take(sharer(size))).toBe(gets);
    expect(other.giveUp).toHaveBeenCalledTimes(gets ? 1 : 0);
    expect(shared.taken).toBe(2);
  });
});
