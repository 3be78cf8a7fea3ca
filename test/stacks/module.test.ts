// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeModule } from '../../stacks/module.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = {
  ...configOf({ ...SESSION_DATA, archive: true }, { tableName: 'Tokens', partitionKey: 'id' }),
  state: { backend: 's3', bucket: 'states' },
};

test('a module has the stack without provider, backend and imports, and everything that it names', () => {
  const main = synthesizeModule(config, folder);
  const text = readFileSync(main, 'utf8');
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
  expect(json.data).not.toHaveProperty('aws_cloudwatch_log_groups');
  expect(text).not.toContain('"//"');

  const files = Object.values(json.resource.aws_lambda_function).map(
    lambda => (lambda as { filename: string }).filename,
  );
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    expect(file).toMatch(/^\$\{path\.module\}\/assets\//);
    expect(existsSync(file.replace('${path.module}', folder))).toBe(true);
  }
});

test('a module refuses the provider of another region', () => {
  const { data } = JSON.parse(readFileSync(synthesizeModule(config, folder), 'utf8'));
  const [region] = Object.values(data.aws_region) as { lifecycle: unknown }[];
  expect(region?.lifecycle).toEqual({
    postcondition: [
      {
        condition: '${self.region == "us-east-1"}',
        error_message: expect.stringContaining('expected us-east-1'),
      },
    ],
  });
});

test('its README names the tables, no input, and each output', () => {
  const { output } = JSON.parse(readFileSync(synthesizeModule(config, folder), 'utf8'));
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const text of ['`Tokens`', 'Inputs: none', ...Object.keys(output).map(name => `- \`${name}\``)])
    expect(readme).toContain(text);
});

test('a module replaces an earlier one, and nothing else', () => {
  synthesizeModule(config, folder);
  const stale = join(folder, 'assets/stale.zip');
  writeFileSync(stale, '');
  writeFileSync(join(folder, 'notes.md'), '');
  synthesizeModule(config, folder);
  expect(existsSync(stale)).toBe(false);
  expect(existsSync(join(folder, 'notes.md'))).toBe(true);
});

test('a folder with something else is refused before anything is written', () => {
  writeFileSync(join(folder, 'main.tf'), '');
  expect(() => synthesizeModule(config, folder)).toThrow(
    `--module: expected a folder that is new, empty, or has a module of this command, got ${folder}; name another`,
  );
  expect(readdirSync(folder)).toEqual(['main.tf']);
});
