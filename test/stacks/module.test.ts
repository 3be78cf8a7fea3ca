import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeModule } from '../../stacks/module.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';

// test/deploy applies one, and gives it the provider of another region.

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
afterAll(() => rmSync(folder, { recursive: true }));

const config = {
  ...configOf({ ...SESSION_DATA, archive: true }, { tableName: 'Tokens', partitionKey: 'id' }),
  state: { backend: 's3', bucket: 'states' },
};

test('a module has no provider, no backend, and everything that it names', () => {
  const text = readFileSync(synthesizeModule(config, folder), 'utf8');
  const json = JSON.parse(text);
  expect(Object.keys(json).sort()).toEqual([
    'data',
    'locals',
    'moved',
    'output',
    'removed',
    'resource',
    'terraform',
  ]);
  expect(Object.keys(json.terraform).sort()).toEqual(['required_providers', 'required_version']);
  expect(text).not.toContain('"//"');
  const files = Object.values<{ filename: string }>(json.resource.aws_lambda_function);
  expect(files).toHaveLength(5);
  const modulePath = ['$', '{path.module}'].join('');
  for (const { filename } of files) {
    expect(filename.startsWith(`${modulePath}/assets/`)).toBe(true);
    expect(existsSync(filename.replace(modulePath, folder))).toBe(true);
  }
});

test('a module replaces an earlier one, and nothing else', () => {
  for (const file of ['assets/stale.zip', 'notes.md']) writeFileSync(join(folder, file), '');
  synthesizeModule(config, folder);
  expect(['assets/stale.zip', 'notes.md'].map(file => existsSync(join(folder, file)))).toEqual([false, true]);
});

test('a folder with something else is refused before anything is written', () => {
  const other = mkdtempSync(join(folder, 'other-'));
  writeFileSync(join(other, 'main.tf'), '');
  expect(() => synthesizeModule(config, other)).toThrow(
    `--module: expected a folder that is new, empty, or has a module of this command, got ${other}; name another`,
  );
  expect(readdirSync(other)).toEqual(['main.tf']);
});
