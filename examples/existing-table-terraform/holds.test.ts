import { readFileSync } from 'node:fs';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';

const MODULE = 'modules/precise-ttl/existing-table';
const main = readFileSync('main.tf', 'utf8');
const given = /module "holds_ttl" \{(.*?)\n\}/s.exec(main)?.[1] ?? '';

/** The blocks of a kind in a file of the module, by name. */
const blocks = (kind: string, file: string): Map<string, string> =>
  new Map(
    [
      ...readFileSync(`${MODULE}/${file}`, 'utf8').matchAll(
        new RegExp(`${kind} "(\\w+)" \\{(.*?)\\n\\}`, 'gs'),
      ),
    ].map(([, name = '', text = '']) => [name, text]),
  );

test('the module has every variable that main.tf gives, and gets all that it needs', () => {
  const variables = blocks('variable', 'variables.tf');
  const meta = ['source', 'depends_on'];
  const names = [...given.matchAll(/^ {2}(\w+)\s*=/gm)]
    .map(([, name = '']) => name)
    .filter(name => !meta.includes(name));
  expect(names.filter(name => !variables.has(name))).toEqual([]);
  const required = [...variables].filter(([, text]) => !/^ {2}default\s*=/m.test(text)).map(([name]) => name);
  expect(required.length).toBeGreaterThan(0);
  expect(required.filter(name => !names.includes(name))).toEqual([]);
});

test('the module has every output that main.tf reads', () => {
  const read = [...main.matchAll(/module\.holds_ttl\.(\w+)/g)].map(([, name = '']) => name);
  expect(read).toContain('state_machine_arn');
  const outputs = blocks('output', 'outputs.tf');
  expect(read.filter(name => !outputs.has(name))).toEqual([]);
});

test('a hold is gone when it expires', async () => {
  const table = {
    tableName: 'Holds',
    partitionKey: 'HoldId',
    indexedBy: 'second',
    existingTable: true,
  } as const;
  await withPreciseTtl({ tables: [table] }, async local => {
    const ttl = Math.floor(local.clock.now() / 1000) + 300;
    await local.documents.send(new PutCommand({ TableName: 'Holds', Item: { HoldId: 'a', ttl } }));
    await local.advance('4m');
    expect((await local.documents.send(new ScanCommand({ TableName: 'Holds' }))).Count).toBe(1);
    await local.advance('1m');
    expect((await local.documents.send(new ScanCommand({ TableName: 'Holds' }))).Count).toBe(0);
  });
});
