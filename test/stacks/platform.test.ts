import { InvalidConfigError } from '../../config/config.ts';
import { DEPLOYMENT_ROLES, TABLE_ROLES } from '../../config/props.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { type Resource, resources, type TerraformJson, terraformJson } from '../support/synthesized.ts';

const ROLE = 'arn:aws:iam::123456789012:role/deployers/sweeps';
const CONFIG = configOf(SESSION_DATA);
const EVERYTHING = {
  ...SESSION_DATA,
  archive: {},
  events: { eventBus: 'default' },
};

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
      assumeRole: { roleArn: ROLE, sessionName: 'deploy', externalId: 'a'.repeat(2) },
      allowedAccountIds: ['123456789012'],
      profile: 'production',
    };
    expect(terraformJson({ ...CONFIG, provider }).provider['aws']).toEqual([
      {
        region: 'us-east-1',
        assume_role: [{ role_arn: ROLE, session_name: 'deploy', external_id: 'aa' }],
        allowed_account_ids: ['123456789012'],
        profile: 'production',
      },
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

test('with a key the schedule is encrypted, and its role decrypts its input and nothing else', () => {
  const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/0';
  const json = terraformJson(configOf({ ...SESSION_DATA, kmsKeyArn }));
  expect(resources(json, 'aws_scheduler_schedule').map(({ kms_key_arn: key }) => key)).toEqual([kmsKeyArn]);
  const policy = policiesOf(json).find(([name]) => name.endsWith('-schedule'))?.[1] ?? '';
  expect(JSON.parse(policy).Statement).toContainEqual({
    Effect: 'Allow',
    Action: ['kms:Decrypt'],
    Resource: [kmsKeyArn],
    Condition: {
      StringLike: {
        'kms:EncryptionContext:aws:scheduler:schedule:arn':
          expect.stringMatching(/:schedule\/precise-ttl\/\*$/),
      },
    },
  });
});

describe('roles that are made elsewhere', () => {
  const roleOf = (key: string) => `arn:aws:iam::123456789012:role/sweeps/${key}`;
  const all = (keys: readonly string[]) => Object.fromEntries(keys.map(key => [key, roleOf(key)]));

  test('are used, and none is made', () => {
    const json = terraformJson(
      configOf({ ...EVERYTHING, roleArns: { ...all(DEPLOYMENT_ROLES), ...all(TABLE_ROLES) } }),
    );
    expect(Object.keys(json.resource).filter(type => type.startsWith('aws_iam_'))).toEqual([]);
    const used = [
      ...resources(json, 'aws_lambda_function').map(({ role }) => role),
      ...resources(json, 'aws_sfn_state_machine').map(({ role_arn: role }) => role),
      ...resources(json, 'aws_scheduler_schedule').map(({ target }) => (target as Resource)['role_arn']),
    ];
    expect([...new Set(used)].sort()).toEqual([...DEPLOYMENT_ROLES, ...TABLE_ROLES].map(roleOf).sort());
    expect(JSON.stringify(json)).not.toContain('aws_iam_role');
  });

  test('stand beside the others, which are as they were', () => {
    const before = terraformJson(configOf(EVERYTHING));
    const json = terraformJson(configOf({ ...EVERYTHING, roleArns: { DeleteChunk: roleOf('DeleteChunk') } }));
    const names = (of: TerraformJson) => policiesOf(of).map(([name]) => name);
    expect(names(before).filter(name => !names(json).includes(name))).toEqual(['precise-ttl-delete-chunk']);
    expect(policiesOf(json)).toEqual(
      policiesOf(before).filter(([name]) => name !== 'precise-ttl-delete-chunk'),
    );
  });

  test.each<[string, object, RegExp]>([
    [
      'a name that no role has',
      { roleArns: { DeleteChunks: roleOf('a') } },
      /roleArns\.DeleteChunks: .*Did you mean DeleteChunk\?/,
    ],
    ['the name of a role', { roleArns: { sweep: 'sweeper' } }, /roleArns\.sweep: expected the ARN of a role/],
    [
      'a user',
      { roleArns: { PublishExpiries: 'arn:aws:iam::123456789012:user/a' } },
      /roleArns\.PublishExpiries: expected the ARN/,
    ],
  ])('fail for %s', (_what, props, message) => {
    expect(() => terraformJson(configOf({ ...SESSION_DATA, ...props }))).toThrow(message);
  });
});

/** Names and documents of the roles' own policies, by their names. */
function policiesOf(json: TerraformJson): [string, string][] {
  return resources(json, 'aws_iam_role_policy')
    .map(({ name, policy }): [string, string] => [String(name), String(policy)])
    .sort();
}
