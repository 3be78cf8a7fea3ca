import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { modelOf } from '../../config/model-of.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryModel } from '../../expiry/model.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-model-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOKENS: PreciseTtlProps = {
  tableName: 'Tokens',
  partitionKey: 'id',
  index: { granularityMinutes: 5, shards: 3 },
};
const BY_SECOND: PreciseTtlProps = { tableName: 'Carts', partitionKey: 'id', index: { by: 'second' } };

/** Runs the command in a folder with a configuration of these tables. */
async function model(args: readonly string[], ...tables: PreciseTtlProps[]) {
  const cwd = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(cwd, 'precise-ttl.config.json'), JSON.stringify(configOf(...tables)));
  const command = [resolve('bin/precise-ttl.js'), 'model', ...args];
  const ended = await new Promise<{ status: number; stdout: string; stderr: string }>(done => {
    execFile(process.execPath, command, { cwd }, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr: stderr.trim() });
    });
  });
  return { ...ended, cwd };
}

test('prints what expiryModel takes', async () => {
  const { status, stdout } = await model([], SESSION_DATA);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    partitionKey: 'UserName',
    sortKey: 'SessionId',
    ttlAttribute: 'ExpirationTime',
    indexedBy: 'window',
    windowAttribute: 'expirationWindow',
    granularityMinutes: 1440,
    shards: 2,
  });
  expect(expiryModel(JSON.parse(stdout))).toEqual(modelOf(SESSION_DATA));
});

test('writes a file, and reads the configuration that is named', async () => {
  const { status, stdout, cwd } = await model(['--table', 'Carts', '--out', 'carts.json'], TOKENS, BY_SECOND);
  expect([status, stdout]).toEqual([0, 'carts.json: the expiry model of Carts\n']);
  const text = readFileSync(join(cwd, 'carts.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({ partitionKey: 'id', ttlAttribute: 'ttl', indexedBy: 'second' });
  const named = await model(
    ['--table=Tokens', '--config', join(cwd, 'precise-ttl.config.json')],
    SESSION_DATA,
  );
  expect(expiryModel(JSON.parse(named.stdout))).toEqual(modelOf(TOKENS));
});

test.each([
  [[], 2, '--table: expected one of Tokens, Carts, got none; this is for one table, so name it'],
  [
    ['--table', 'Token'],
    2,
    '--table: expected one of Tokens, Carts, got "Token"; the configuration lists them',
  ],
  [['--table', 'Carts', '--out', 'none/carts.json'], 2, '--out: expected a file in a folder that can be'],
  [
    ['--deployed', '--table', 'Carts'],
    2,
    '--table: expected none with --deployed, got "Carts"; it prints all tables',
  ],
  [['--config', 'none.json'], 1, 'none.json: expected the configuration, got no such file.'],
])('%j is refused', async (args, expected, message) => {
  const { status, stdout, stderr } = await model(args, TOKENS, BY_SECOND);
  expect([status, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)]);
});
