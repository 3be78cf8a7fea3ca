import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { App, Testing } from 'cdktf';
import { expiryAttributes, expiryModel } from 'precise-ttl';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { TOKENS, TokensStack } from './tokens-stack.ts';

test('the stack has the table and a sweep that names it by reference', () => {
  const { resource } = JSON.parse(Testing.synth(new TokensStack(new App(), 'tokens')));
  expect(resource.aws_dynamodb_table.table).toMatchObject({ name: 'Tokens' });
  const machines = Object.values(resource.aws_sfn_state_machine) as { definition: string }[];
  expect(machines.some(({ definition }) => definition.includes('aws_dynamodb_table.table.name'))).toBe(true);
});

test('a token is gone when it expires', async () => {
  const tableName = 'Tokens';
  const model = expiryModel(TOKENS);
  await withPreciseTtl({ tables: [{ tableName, ...TOKENS, existingTable: true }] }, async local => {
    const token = { TokenId: 'a' };
    const expiry = expiryAttributes(model, token, { ttlSeconds: 300, nowMs: local.clock.now() });
    await local.documents.send(new PutCommand({ TableName: tableName, Item: { ...token, ...expiry } }));
    const left = async () => (await local.documents.send(new ScanCommand({ TableName: tableName }))).Count;
    await local.advance('299s');
    expect(await left()).toBe(1);
    await local.advance('1s');
    expect(await left()).toBe(0);
  });
}, 60_000);
