// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that look like Terraform's templates
import { rmSync } from 'node:fs';
import { loadDefinition } from 'stepfunctions-emulator';
import { isDynamoDbQuery } from '../../../local/dynamodb/queries.ts';
import { readSynthesized, type SynthesizedCloud } from '../../../local/terraform/synthesized.ts';
import type { DeploymentConfig } from '../../../stacks/config.ts';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import { tablesInDefinition } from '../../../stacks/tables-in-definition.ts';
import { configOf, SESSION_DATA, synthesizeToFolder } from '../../support/synthesized.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const synthesis = (...tables: PreciseTtlProps[]) => synthesisOf(configOf(...tables));

function synthesisOf(config: DeploymentConfig): SynthesizedCloud {
  const folder = synthesizeToFolder(config);
  folders.push(folder);
  return readSynthesized(folder);
}

test('everything that the app synthesizes is understood', () => {
  const cloud = synthesis(SESSION_DATA);
  expect(cloud.tables.map(table => table.name)).toEqual(['SessionData', 'precise-ttl-journal']);
  expect(cloud.functions).toHaveLength(4);
  expect(cloud.stateMachines.map(({ name, type }) => [name, type]).sort()).toEqual([
    ['precise-ttl', 'EXPRESS'],
    ['precise-ttl-replay', 'STANDARD'],
  ]);
  expect(cloud.schedules.map(schedule => schedule.expression).sort()).toEqual([
    'cron(* * * * ? *)',
    expect.stringMatching(/^cron\(\d+ \* \* \* \? \*\)$/),
  ]);
  for (const machine of cloud.stateMachines) {
    expect(() => loadDefinition(machine.definition, machine.type, isDynamoDbQuery)).not.toThrow();
    for (const { arn } of cloud.functions) expect(machine.definition).toContain(arn);
  }
  for (const schedule of cloud.schedules) {
    expect(cloud.stateMachines.map(machine => machine.arn)).toContain(schedule.targetArn);
    expect(schedule.input).toContain('<aws.scheduler.scheduled-time>');
  }
});

test('so is what looks for log groups that are there already', () => {
  const optional = { archive: {}, events: { eventBus: 'default' }, backfill: true };
  expect(synthesis({ ...SESSION_DATA, ...optional }).functions).toHaveLength(8);
});

test('so is a deployment whose roles are made elsewhere: its events begin when it is applied', () => {
  const PublishExpiries = 'arn:aws:iam::123456789012:role/elsewhere/publisher';
  const folder = synthesizeToFolder(
    configOf({ ...SESSION_DATA, events: { eventBus: 'default' }, tableRoleArns: { PublishExpiries } }),
  );
  folders.push(folder);
  const deployedAtMs = Date.parse('2026-11-20T09:00:00Z');
  const publisher = readSynthesized(folder, { deployedAtMs }).functions.find(({ name }) =>
    /publish/.test(name),
  );
  expect(publisher?.environment['EVENTS_SINCE']).toBe('2026-11-20T09:00:00.000Z');
});

test('also for several tables and one that exists already', () => {
  const cloud = synthesis(SESSION_DATA, {
    tableName: 'Holds',
    partitionKey: 'id',
    existingTable: true,
    shards: 4,
  });
  expect(cloud.tables.map(table => table.name)).toEqual(['SessionData', 'precise-ttl-journal']);
  expect(cloud.existingTables.map(table => table.name)).toEqual(['Holds']);
  expect(cloud.stateMachines).toHaveLength(2);
});

test.each([
  ['us-gov-west-1', 'aws-us-gov', 'amazonaws.com'],
  ['cn-northwest-1', 'aws-cn', 'amazonaws.com.cn'],
  ['eusc-de-east-1', 'aws-eusc', 'amazonaws.eu'],
])('every ARN of %s is of the partition %s', (region, partition, dnsSuffix) => {
  const cloud = synthesisOf({ ...configOf(SESSION_DATA), region });
  const arns = JSON.stringify([cloud.blocks, cloud.outputs]).match(/arn:[^:"]*:[^"\\]*/g) ?? [];
  expect(arns.length).toBeGreaterThan(30);
  expect(arns.filter(arn => !arn.startsWith(`arn:${partition}:`))).toEqual([]);
  expect(arns).toContain(`arn:${partition}:states:::lambda:invoke`);
  expect(JSON.stringify(cloud.outputs)).toContain(`https://sqs.${region}.${dnsSuffix}/`);
  for (const { definition, type } of cloud.stateMachines)
    expect(() => loadDefinition(definition, type, isDynamoDbQuery)).not.toThrow();
});

test.each([
  [{ partitionKey: '#pk' }, 'partitionKey', '#pk'],
  [{ partitionKey: 'id', holdAttribute: ':hold' }, 'holdAttribute', ':hold'],
])('%j is refused, since DynamoDB Local would refuse each delete', (names, setting, got) => {
  const of = (more: object) => () => synthesis({ tableName: 'Odd', ...names, ...more });
  expect(of({})).toThrow(
    `table Odd: ${setting}: expected a name that does not begin with # or :, got "${got}". DynamoDB Local, not DynamoDB,`,
  );
  if (setting === 'partitionKey') expect(of({ deleteMode: 'batch' })).not.toThrow();
});

test('names of attributes come through Terraform as they are', () => {
  const odd = {
    partitionKey: 'a"b\\c\nd',
    sortKey: '${e}',
    ttlAttribute: '%{if true}$${f}%',
    windowAttribute: "g'\t$$\b",
  };
  const { tables, stateMachines } = synthesis({ tableName: 'Odd', ...odd });
  expect(tables.slice(0, 1)).toMatchObject([
    {
      hashKey: odd.partitionKey,
      rangeKey: odd.sortKey,
      nativeTtlAttribute: odd.ttlAttribute,
      globalIndexes: [{ hashKey: odd.windowAttribute, rangeKey: odd.ttlAttribute }],
    },
  ]);
  expect(Object.keys(tables[0]?.attributes ?? {}).sort()).toEqual(Object.values(odd).sort());
  for (const { definition } of stateMachines) {
    expect(tablesInDefinition(definition)).toMatchObject([{ tableName: 'Odd', ...odd }]);
  }
});
