import { configOf, SESSION_DATA } from '../support/configs.ts';
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
