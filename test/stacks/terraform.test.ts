// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform's templates

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveProps } from '../../stacks/config/props.ts';
import { escaped, literal } from '../../stacks/config/terraform-text.ts';
import { synthesizeModule } from '../../stacks/module.ts';
import { tableConditions } from '../../stacks/parts/swept-table.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { folderWith } from '../support/folder.ts';
import { resources, terraformJson } from '../support/synthesized.ts';

const ROLE = 'arn:aws:iam::123456789012:role/deployers/sweeps';
const CONFIG = configOf(SESSION_DATA);
const IN_BUCKET = {
  bucket: 'states',
  key: 'precise-ttl/terraform.tfstate',
  region: 'us-east-1',
  encrypt: true,
  use_lockfile: true,
};

test.each<[string, object, object?]>([
  ['local', {}, { path: '../../../terraform.precise-ttl.tfstate' }],
  ['s3', { bucket: 'states' }, IN_BUCKET],
  // Terraform's own settings win.
  ['s3', { ...IN_BUCKET, key: 'ttl', assume_role: { role_arn: ROLE }, use_lockfile: false }],
  ['http', { address: 'https://states.example/ttl', retry_max: 3, skip_cert_verification: false }],
  ['remote', { organization: 'acme', workspaces: { name: 'ttl' } }],
])('the state in %s with %j has the settings that Terraform needs', (backend, given, settings = given) => {
  const { terraform } = terraformJson({ ...CONFIG, state: { backend, ...given } });
  expect(terraform).toMatchObject({
    backend: { [backend]: settings },
    required_version: '>= 1.10',
    required_providers: { aws: { source: 'hashicorp/aws', version: '>= 6.25, < 7' } },
  });
  expect(terraform.backend[backend]).toEqual(settings);
});

test('the provider takes a role, refuses other accounts, reads a profile and tags', () => {
  const provider = {
    assume_role: [{ role_arn: ROLE, session_name: 'deploy', external_id: 'aa' }],
    allowed_account_ids: ['123456789012'],
    profile: 'production',
  };
  const tags = { team: 'sessions' };
  expect(terraformJson({ ...CONFIG, provider, tags }).provider['aws']).toEqual([
    { region: 'us-east-1', ...provider, default_tags: [{ tags }] },
  ]);
  expect(terraformJson(CONFIG).provider['aws']).toEqual([{ region: 'us-east-1' }]);
});

test('overrides reach a resource by its address, and replace its lists', () => {
  const [address = ''] = Object.keys(terraformJson(CONFIG).resource['aws_lambda_function'] ?? {});
  const overrides = { [`aws_lambda_function.${address}`]: { architectures: ['x86_64'] } };
  const functions = resources(terraformJson({ ...CONFIG, overrides }), 'aws_lambda_function');
  const processors = functions.map(({ architectures }) => String(architectures));
  expect(processors.sort()).toEqual(['arm64', 'arm64', 'arm64', 'x86_64']);
});

test('overrides merge into a block, and leave its other arguments', () => {
  const overrides = { aws_lambda_function: { logging_config: { system_log_level: 'INFO' } } };
  for (const each of resources(terraformJson({ ...CONFIG, overrides }), 'aws_lambda_function'))
    expect(each['logging_config']).toMatchObject({ log_format: 'JSON', system_log_level: 'INFO' });
});

test.each([
  ['aws_lambda_fuction', /expected one of .*aws_lambda_function, .*, got "a name of none of them"/],
  ['aws_scheduler_schedule.tick', /expected one of aws_scheduler_schedule\.precise-ttl-tick, or the address/],
])('overrides of what the deployment does not have are refused, with what it has: %s', (name, problem) => {
  const overrides = { [name]: { description: 'x' } };
  expect(() => terraformJson({ ...CONFIG, overrides })).toThrow(problem);
});

// test/deploy applies one, and gives it the provider of another region.

const folder = folderWith();

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
  const other = folderWith({ 'main.tf': '' });
  expect(() => synthesizeModule(config, other)).toThrow(
    `--module: expected a folder that is new, empty, or has a module of this command, got ${other}; name another`,
  );
  expect(readdirSync(other)).toEqual(['main.tf']);
});

// Whether Terraform takes and judges them as meant, test/deploy shows.
test('names in the conditions of an existing table are texts, and each says where to read on', () => {
  const all = tableConditions(resolveProps({ ...SESSION_DATA, partitionKey: 'a"b${c}%{d}' }));
  expect(all[0]?.condition).toBe('${self.hash_key == "a\\"b$${c}%%{d}" && self.range_key == "SessionId"}');
  expect(all[0]?.error_message).toContain('not a"b$${c}%%{d}, SessionId.');
  for (const { error_message: text } of all)
    expect(text).toMatch(/^Table SessionData: .* See docs\/adopt\.md of precise-ttl\.$/);
  expect(all.at(-1)?.error_message).toContain('describe-time-to-live --table-name SessionData');
});

test.each([
  ['plain', 'plain'],
  ['${a}', '$${a}'],
  ['%{if a}', '%%{if a}'],
  ['$${a}', '$$${a}'],
  ['$5 100% {a}', '$5 100% {a}'],
])('%s is written as %s', (text, written) => expect(escaped(text)).toBe(written));

test.each([
  ['a"b\\c\nd', '"a\\"b\\\\c\\nd"'],
  ['\b\f\\b', '"\\u0008\\u000c\\\\b"'],
  ['${a}', '"$${a}"'],
])('%j in an expression is %s', (text, written) => expect(literal(text)).toBe(written));
