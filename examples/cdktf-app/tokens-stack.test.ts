import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { App, Testing } from 'cdktf';
import { expiryAttributes, expiryModel } from 'precise-ttl';
import { withPreciseTtl } from 'precise-ttl/testing';
import { expect, test } from 'vitest';
import { TOKENS, TokensStack } from './tokens-stack.ts';

test('the stack has one table, its own, and a sweep that names it by reference', () => {
  const { resource } = JSON.parse(Testing.synth(new TokensStack(new App(), 'tokens')));
  const tables = Object.entries(resource.aws_dynamodb_table);
  expect(tables).toHaveLength(1);
  const [[address]] = tables as [[string, unknown]];
  const functions = Object.values(resource.aws_lambda_function) as {
    environment: { variables: Record<string, string> };
  }[];
  expect(functions).toHaveLength(4);
  for (const { environment } of functions) {
    expect(environment.variables).toMatchObject({ TABLE_NAME: `\${aws_dynamodb_table.${address}.name}` });
  }
  expect(Object.keys(resource.aws_sfn_state_machine)).toHaveLength(1);
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
});
