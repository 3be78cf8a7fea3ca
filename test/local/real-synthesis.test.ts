import { rmSync } from 'node:fs';
import { loadDefinition } from '../../local/asl/index.ts';
import { readSynthesized, type SynthesizedCloud } from '../../local/terraform.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import { configOf, SESSION_DATA, synthesizeToFolder } from '../support/synthesized.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function synthesis(...tables: PreciseTtlProps[]): SynthesizedCloud {
  const folder = synthesizeToFolder(configOf(...tables));
  folders.push(folder);
  return readSynthesized(folder);
}

test('everything that the app synthesizes is understood', () => {
  const cloud = synthesis(SESSION_DATA);
  expect(cloud.tables.map(table => table.name)).toEqual(['SessionData']);
  expect(cloud.functions).toHaveLength(4);
  expect(cloud.stateMachines).toHaveLength(1);
  expect(cloud.schedules.map(schedule => schedule.expression).sort()).toEqual([
    'cron(* * * * ? *)',
    expect.stringMatching(/^cron\(\d+ \* \* \* \? \*\)$/),
  ]);
  for (const machine of cloud.stateMachines) {
    expect(() => loadDefinition(machine.definition)).not.toThrow();
    for (const { arn } of cloud.functions) expect(machine.definition).toContain(arn);
  }
  for (const schedule of cloud.schedules) {
    expect(cloud.stateMachines.map(machine => machine.arn)).toContain(schedule.targetArn);
    expect(schedule.input).toContain('<aws.scheduler.scheduled-time>');
  }
});

test('also for several tables and one that exists already', () => {
  const cloud = synthesis(SESSION_DATA, {
    tableName: 'Holds',
    partitionKey: 'id',
    existingTable: true,
    shards: 4,
  });
  expect(cloud.tables.map(table => table.name)).toEqual(['SessionData']);
  expect(cloud.existingTables.map(table => table.name)).toEqual(['Holds']);
  expect(cloud.stateMachines).toHaveLength(2);
});
