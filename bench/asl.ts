/** `npm run bench asl`: speed and memory of the local interpreter. See `--help`. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { zipSync } from 'fflate';
import {
  Engine,
  type Execution,
  type FunctionInvoker,
  loadDefinition,
  type Machine,
} from 'stepfunctions-emulator';
import { runCommand } from '../cli/run-command.ts';
import { LocalFunctions } from '../local/functions/local-functions.ts';
import { writeWorkerProgram } from '../local/functions/worker-program.ts';
import { median } from './live/median.ts';

const RUNS = 5;
const ITEMS = 10_000;
const CALLS = 1_000;
const EXECUTIONS = 1_000;
const PREFIX = 'arn:aws:lambda:us-east-1:123456789012:function:';

const echoInThisThread: FunctionInvoker = { invoke: async (_arn, payload) => ({ ok: true, payload }) };

function machineOf(states: Record<string, object>): Machine {
  const definition = { QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states };
  return {
    arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:bench',
    name: 'bench',
    roleArn: 'arn:aws:iam::123456789012:role/bench',
    // Without the limit of 25,000 events, which 10,000 iterations would reach.
    type: 'EXPRESS',
    definition: loadDefinition(JSON.stringify(definition), 'EXPRESS'),
  };
}

/** An inline Map over `count` numbers with one state for each. */
const mapOver = (count: number, state: object): Machine =>
  machineOf({
    Items: {
      Type: 'Map',
      Items: `{% [1..${count}] %}`,
      ItemProcessor: { StartAt: 'Item', States: { Item: { ...state, End: true } } },
      Output: '{% $count($states.result) %}',
      End: true,
    },
  });

const call = { Type: 'Task', Resource: `${PREFIX}echo` };

async function execute(engine: Engine, machine: Machine, expected: unknown): Promise<Execution> {
  const execution = await engine.start(machine, { input: {} }).done;
  if (execution.status !== 'SUCCEEDED' || execution.output !== expected) {
    throw new Error(`${execution.status}: ${execution.error} ${execution.cause} ${execution.outputText}`);
  }
  return execution;
}

async function medianMs(measured: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= RUNS; index += 1) {
    const start = performance.now();
    await measured();
    if (index > 0) times.push(performance.now() - start); // the first compiles and starts threads
  }
  return median(times);
}

const ECHO = 'export const handler = async event => event;';

/** An echo function as it would be deployed. */
function echoFunctions(folder: string): LocalFunctions {
  const archive = join(folder, 'echo.zip');
  writeFileSync(archive, zipSync({ 'index.mjs': new TextEncoder().encode(ECHO) }));
  const resource = {
    address: 'aws_lambda_function.echo',
    name: 'echo',
    arn: `${PREFIX}echo`,
    region: 'us-east-1',
    archive,
    handler: 'index.handler',
    memoryMb: 128,
    timeoutSeconds: 30,
    environment: {},
    logFormat: 'JSON' as const,
  };
  return new LocalFunctions([resource], { dynamoDbEndpoint: 'http://127.0.0.1:9' });
}

/** Starts a thread of a function, waits until it is ready, and ends it. */
async function thread(program: string, file: string): Promise<void> {
  const worker = new Worker(program, { workerData: { file, exportName: 'handler' }, env: {}, execArgv: [] });
  await once(worker, 'message');
  await worker.terminate();
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes in use after everything that can be freed was. */
function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

const help = (flags: string) => `npm run bench asl -- [flags]

Measures speed and memory of the local interpreter. Every line is the median of ${RUNS} runs in one process, on the wall
clock.

${flags}`;

async function run(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'precise-ttl-bench-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

  const engine = new Engine({ invoker: echoInThisThread });
  const passes = await medianMs(() => execute(engine, mapOver(ITEMS, { Type: 'Pass' }), ITEMS));
  const evaluated = await medianMs(() =>
    execute(engine, mapOver(ITEMS, { Type: 'Pass', Output: '{% $states.input + 1 %}' }), ITEMS),
  );
  const direct = await medianMs(() => execute(engine, mapOver(CALLS, call), CALLS));

  const functions = echoFunctions(scratch);
  const threaded = new Engine({ invoker: functions });
  const calls = await medianMs(() => execute(threaded, mapOver(CALLS, call), CALLS));
  await functions.stop();

  const program = writeWorkerProgram(scratch);
  const typed = join(import.meta.dirname, '../local/functions/worker.ts');
  const echo = join(scratch, 'echo.mjs');
  writeFileSync(echo, ECHO);
  const untyped = await medianMs(() => thread(program, echo));
  const stripping = await medianMs(() => thread(typed, echo));

  const small = mapOver(20, call);
  const memory: number[] = [];
  for (let done = 0; done <= EXECUTIONS; done += 1) {
    // After 100 everything that is made once has been made.
    if (done === 100 || done === EXECUTIONS) memory.push(heapMb());
    if (done < EXECUTIONS) await execute(engine, small, 20);
  }
  const [early = Number.NaN, late = Number.NaN] = memory;

  console.log(`Node ${process.version}, median of ${RUNS} runs\n`);
  console.log('| what | in all | each |');
  console.log('|---|--:|--:|');
  const row = (what: string, ms: number, count: number) =>
    console.log(`| ${what} | ${ms.toFixed(0)} ms | ${((ms / count) * 1000).toFixed(0)} µs |`);
  row(`inline Map of ${ITEMS} Pass items`, passes, ITEMS);
  row(`inline Map of ${ITEMS} Pass items with an expression`, evaluated, ITEMS);
  row(`inline Map of ${CALLS} calls, function in this thread`, direct, CALLS);
  row(`inline Map of ${CALLS} calls, function in worker threads`, calls, CALLS);
  console.log(`\nA call in a worker thread takes ${(calls / direct).toFixed(1)} times one in this thread.`);
  console.log(
    `A thread starts and ends in ${untyped.toFixed(0)} ms; if each took the types off its program, in ${stripping.toFixed(0)} ms: ` +
      `${(stripping / untyped).toFixed(1)} times.`,
  );
  console.log(
    `Heap after 100 executions of 20 calls ${early.toFixed(1)} MB, after ${EXECUTIONS} ${late.toFixed(1)} MB: ` +
      `${(late / early).toFixed(2)} times.`,
  );
  return 0;
}

await runCommand({ flags: {}, help, run });
