// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { App, TerraformStack } from 'cdktf';
import { checkConfig } from '../../config/config.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { BACKFILL_TASKS, BACKFILL_TIMEOUT_SECONDS } from '../../statemachine/backfill-contract.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { resources, type TerraformJson, terraformJson } from '../support/synthesized.ts';

const without = terraformJson(configOf(SESSION_DATA));
const json = terraformJson(configOf({ ...SESSION_DATA, index: { backfill: true } }));
const NAME = 'precise-ttl-SessionData';

const isOfBackfill = (address: string) => address.includes('_backfill_');
const addresses = ({ resource }: TerraformJson) =>
  Object.entries(resource).flatMap(([type, blocks]) => Object.keys(blocks).map(block => `${type}.${block}`));

test('without the prop there is nothing of it, and with it everything else stays as it is', () => {
  // `removed` names what an earlier deployment may have had.
  expect(/.{0,50}backfill.{0,50}/i.exec(JSON.stringify(without.resource))).toBeNull();
  expect(addresses(json).filter(address => !isOfBackfill(address))).toEqual(addresses(without));
  for (const [type, blocks] of Object.entries(without.resource)) {
    for (const [name, block] of Object.entries(blocks)) expect(json.resource[type]?.[name]).toEqual(block);
  }
});

test('it has a state machine, two functions, and a log and a role for each of them', () => {
  const names = (type: string, field: string) =>
    resources(json, type)
      .map(block => String(block[field]))
      .filter(name => name.includes('backfill'))
      .sort();
  const all = [`${NAME}-backfill`, `${NAME}-backfill-segment`, `${NAME}-plan-backfill`];
  expect(names('aws_sfn_state_machine', 'name')).toEqual([`${NAME}-backfill`]);
  expect(names('aws_lambda_function', 'function_name')).toEqual(all.slice(1));
  expect(names('aws_iam_role', 'name')).toEqual(all);
  expect(names('aws_cloudwatch_log_group', 'name')).toEqual([
    `/aws/lambda/${NAME}-backfill-segment`,
    `/aws/lambda/${NAME}-plan-backfill`,
    `/aws/vendedlogs/states/${NAME}-backfill`,
  ]);
  expect(resources(json, 'aws_scheduler_schedule')).toEqual(resources(without, 'aws_scheduler_schedule'));
  for (const [task, file] of Object.entries(BACKFILL_TASKS)) {
    const made = resources(json, 'aws_lambda_function').find(
      block => block['function_name'] === `${NAME}-${file}`,
    );
    expect(made?.['timeout']).toBe(BACKFILL_TIMEOUT_SECONDS[task as keyof typeof BACKFILL_TASKS]);
  }
});

test('its functions may scan and update the table, and nothing else', () => {
  const dynamoDb = (file: string) => {
    const policy = resources(json, 'aws_iam_role_policy').find(({ name }) => name === `${NAME}-${file}`);
    const { Statement } = JSON.parse(String(policy?.['policy'])) as {
      Statement: { Action: string[]; Resource: string[] }[];
    };
    return Statement.filter(({ Action }) => !Action.every(action => action.startsWith('logs:')));
  };
  expect(dynamoDb('plan-backfill')).toEqual([]);
  expect(dynamoDb('backfill-segment')).toEqual([
    {
      Effect: 'Allow',
      Action: ['dynamodb:Scan', 'dynamodb:UpdateItem'],
      Resource: [expect.stringMatching(/^\$\{aws_dynamodb_table\.SessionData_table_\w+\.arn\}$/)],
    },
  ]);
});

test('the outputs name its state machine', () => {
  const outputs = (terraform: TerraformJson) =>
    terraform.output['tables']?.value as unknown as Record<string, Record<string, string>>;
  expect(outputs(without)['SessionData']).not.toHaveProperty('backfillStateMachineArn');
  expect(outputs(json)['SessionData']?.['backfillStateMachineArn']).toMatch(
    /^\$\{aws_sfn_state_machine\.SessionData_backfill_workflow_machine_\w+\.arn\}$/,
  );
});

test('a stack of your own has what it is made of', () => {
  const stack = new TerraformStack(new App({ outdir: '/tmp' }), 'stack');
  const ttl = new PreciseTtl(stack, 'one', { ...SESSION_DATA, index: { backfill: true } });
  expect(ttl.table.backfill?.stateMachineArn).toBe(ttl.table.backfill?.machine.arn);
  expect(Object.keys(ttl.table.backfill?.functions ?? {})).toEqual(Object.keys(BACKFILL_TASKS));
  const plain = new PreciseTtl(stack, 'two', { ...SESSION_DATA, tableName: 'Other' });
  expect(plain.table.backfill).toBeUndefined();
});

test('names that two tables would share are refused, and no others are', () => {
  const named = (one: object, other: object) => () =>
    checkConfig({
      region: 'us-east-1',
      tables: [
        { tableName: 't-a', partitionKey: 'id', ...one },
        { tableName: 't-b', partitionKey: 'id', ...other },
      ],
    });
  const twin = { sweep: 'precise-ttl-t-a-backfill' };
  expect(named({ index: { backfill: true } }, twin)).toThrow(
    'would both have the state machine precise-ttl-t-a-backfill. Give one of them another name',
  );
  expect(named({}, twin)).not.toThrow();
  expect(
    named({ index: { backfill: true }, name: 'x-plan' }, { index: { backfill: true }, name: 'x' }),
  ).toThrow('both have the role x-plan-');
});
