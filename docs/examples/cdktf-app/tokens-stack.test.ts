import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { App, Testing } from 'cdktf';
import { expiryAttributes, expiryModel } from 'precise-ttl';
import { type LocalPreciseTtl, startPreciseTtl } from 'precise-ttl/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKENS, TokensStack } from './tokens-stack.ts';

test('the stack has the table and a sweep that names it by reference', () => {
  const { resource } = JSON.parse(Testing.synth(new TokensStack(new App(), 'tokens')));
  expect(resource.aws_dynamodb_table.table).toMatchObject({ name: 'Tokens' });
  const machines = Object.values(resource.aws_sfn_state_machine) as { definition: string }[];
  expect(machines.some(({ definition }) => definition.includes('aws_dynamodb_table.table.name'))).toBe(true);
});

let local: LocalPreciseTtl;

beforeAll(async () => {
  local = await startPreciseTtl({ tables: [{ tableName: 'Tokens', ...TOKENS, existingTable: true }] });
});

afterAll(() => local.stop());

test('a token is gone when it expires', async () => {
  const { clock, documents } = local;
  const token = { TokenId: 'a' };
  const expiry = expiryAttributes(expiryModel(TOKENS), token, { ttlSeconds: 300, nowMs: clock.now() });
  await documents.send(new PutCommand({ TableName: 'Tokens', Item: { ...token, ...expiry } }));
  const left = async () => (await documents.send(new ScanCommand({ TableName: 'Tokens' }))).Count;
  await local.advance('299s');
  expect(await left()).toBe(1);
  await local.advance('1s');
  expect(await left()).toBe(0);
});
