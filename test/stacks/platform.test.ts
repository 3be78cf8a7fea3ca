import { InvalidConfigError } from '../../config/config.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { resources, terraformJson } from '../support/synthesized.ts';

const ROLE = 'arn:aws:iam::123456789012:role/deployers/sweeps';
const CONFIG = configOf(SESSION_DATA);
describe('the state', () => {
  test.each([
    ['gcs', { bucket: 'states', prefix: 'ttl' }],
    ['http', { address: 'https://states.example/ttl', retry_max: 3, skip_cert_verification: false }],
    ['remote', { organization: 'acme', workspaces: { name: 'ttl' } }],
    ['azurerm', { use_azuread_auth: true }],
  ])('in %s has the settings as they are, and no other', (backend, settings) => {
    const { terraform } = terraformJson({ ...CONFIG, state: { backend, ...settings } });
    expect(terraform.backend).toEqual({ [backend]: settings });
  });

  test('in a bucket is locked and encrypted', () => {
    const { terraform } = terraformJson({ ...CONFIG, state: { backend: 's3', bucket: 'states' } });
    expect(terraform.backend).toEqual({
      s3: {
        bucket: 'states',
        key: 'precise-ttl/terraform.tfstate',
        region: 'us-east-1',
        encrypt: true,
        use_lockfile: true,
      },
    });
  });

  test('in a bucket takes the settings of Terraform, which win', () => {
    const settings = {
      kms_key_id: 'alias/states',
      assume_role: { role_arn: ROLE },
      profile: 'states',
      dynamodb_table: 'locks',
      use_lockfile: false,
    };
    const { terraform } = terraformJson({
      ...CONFIG,
      state: { backend: 's3', bucket: 'states', ...settings },
    });
    expect(terraform.backend['s3']).toMatchObject({ bucket: 'states', encrypt: true, ...settings });
  });
});

describe('the provider', () => {
  test('takes a role, refuses other accounts, and reads a profile', () => {
    const provider = {
      assume_role: [{ role_arn: ROLE, session_name: 'deploy', external_id: 'aa' }],
      allowed_account_ids: ['123456789012'],
      profile: 'production',
    };
    expect(terraformJson({ ...CONFIG, provider }).provider['aws']).toEqual([
      { region: 'us-east-1', ...provider },
    ]);
  });

  test('is told nothing of it by default', () => {
    expect(terraformJson(CONFIG).provider['aws']).toEqual([{ region: 'us-east-1' }]);
  });
});

describe('overrides', () => {
  test('reach each resource of a type, and leave what they do not name', () => {
    const overrides = {
      aws_lambda_function: {
        reserved_concurrent_executions: 50,
        logging_config: { system_log_level: 'INFO' },
      },
    };
    const functions = resources(terraformJson({ ...CONFIG, overrides }), 'aws_lambda_function');
    expect(functions).toHaveLength(4);
    for (const each of functions) {
      expect(each).toMatchObject({
        reserved_concurrent_executions: 50,
        memory_size: 512,
        logging_config: { log_format: 'JSON', system_log_level: 'INFO' },
      });
    }
  });

  test('reach one resource by its address', () => {
    const [address = ''] = Object.keys(terraformJson(CONFIG).resource['aws_lambda_function'] ?? {});
    const overrides = { [`aws_lambda_function.${address}`]: { memory_size: 1024 } };
    const functions = terraformJson({ ...CONFIG, overrides }).resource['aws_lambda_function'] ?? {};
    expect(
      Object.values(functions)
        .map(({ memory_size }) => memory_size)
        .sort(),
    ).toEqual([1024, 512, 512, 512]);
    expect(functions[address]?.['memory_size']).toBe(1024);
  });

  test.each([
    ['aws_lambda_fuction', /expected a type of .*aws_lambda_function, .* which it has none of/],
    [
      'aws_scheduler_schedule.tick',
      /expected one of these names after aws_scheduler_schedule\. \(precise-ttl-tick\), or the address/,
    ],
  ])('of what the deployment does not have are refused, with what it has: %s', (name, problem) => {
    const synthesize = () => terraformJson({ ...CONFIG, overrides: { [name]: { description: 'x' } } });
    expect(synthesize).toThrow(InvalidConfigError);
    expect(synthesize).toThrow(problem);
  });
});
