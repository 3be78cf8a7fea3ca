import { functionArn, stateMachine } from 'stepfunctions-emulator/testing';

/** Processor time that one version of Node takes, milliseconds. */
export interface Measured {
  readonly version: string;
  /** Processor time for one execution, for each round. */
  readonly rounds: readonly number[];
  readonly map: number;
}

const ROUNDS = 5;
const EXECUTIONS = 400;
const ITEMS = 1_000;

const task = { Type: 'Task', Resource: functionArn('echo'), End: true };
const machineOf = (state: object) =>
  stateMachine.from(
    { QueryLanguage: 'JSONata', StartAt: 'A', States: { A: state } },
    { functions: { echo: (event: number) => event } },
  );

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const one = machineOf(task);
const rounds: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const ms = await processorMs(async () => {
    for (let execution = 0; execution < EXECUTIONS; execution += 1) await one.run();
  });
  rounds.push(ms / EXECUTIONS);
}

// This is measured after the rounds, with the memory that they have left in use.
const each = machineOf({
  Type: 'Map',
  ItemProcessor: { StartAt: 'Each', States: { Each: task } },
  End: true,
});
const input = Array.from({ length: ITEMS }, (_, index) => index);
const map = await processorMs(async () => {
  (await each.run({ input })).assertSucceeded();
});

const measured: Measured = { version: process.versions.node, rounds, map };
console.log(JSON.stringify(measured));
