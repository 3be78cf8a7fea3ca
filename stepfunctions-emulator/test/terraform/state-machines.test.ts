// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform references are what is tested
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stateMachine, TerraformError } from '../../src/testing/index.ts';
import { definitionOf, task } from '../testing/support.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'terraform-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const LAMBDA_INVOKE = 'arn:${data.aws_partition.here.partition}:states:::lambda:invoke';
/** A state machine whose one state calls the function of this reference. */
const calling = (reference: string, fields: object = {}) => ({
  name: 'orders',
  role_arn: '${aws_iam_role.orders.arn}',
  definition: JSON.stringify(
    definitionOf({
      A: {
        Type: 'Task',
        Resource: LAMBDA_INVOKE,
        Arguments: { FunctionName: reference, Payload: '{% $states.input %}' },
        Output: '{% $states.result.Payload %}',
        End: true,
      },
    }),
  ),
  ...fields,
});
const returning = (text: string, fields: object = {}) => ({
  name: 'orders',
  definition: JSON.stringify(definitionOf({ A: { Type: 'Succeed', Output: text } })),
  ...fields,
});
const data = { aws_partition: { here: {} }, aws_region: { here: {} }, aws_caller_identity: { here: {} } };
const charge = { function_name: 'ChargeCard' };

async function outputOf(resource: object, rest: object = {}, options: object = {}): Promise<unknown> {
  const file = write('cdk.tf.json', { data, resource, ...rest });
  return (await stateMachine.fromTerraform(file, options).run()).output;
}

test('functions are mocked under the names that they have', async () => {
  const file = write('cdk.tf.json', {
    data,
    resource: {
      aws_lambda_function: { charge },
      aws_sfn_state_machine: { orders: calling('${aws_lambda_function.charge.arn}') },
    },
  });
  const machine = stateMachine.fromTerraform(file);
  const ChargeCard = ({ n }: { n: number }) => n + 1;
  const execution = await machine.run({ input: { n: 1 }, functions: { ChargeCard } });
  expect(execution.assertSucceeded().output).toBe(2);
  expect([machine.name, machine.type]).toEqual(['orders', 'STANDARD']);
});

test.each([
  ['a qualified ARN', '${aws_lambda_function.charge.qualified_arn}'],
  ['an alias', '${aws_lambda_alias.live.arn}'],
  ['an alias by its ARN', '${aws_lambda_alias.byarn.arn}'],
  ['a name', '${aws_lambda_function.charge.function_name}'],
  ['an id', '${aws_lambda_function.charge.id}'],
])('the function by %s', async (_what, reference) => {
  const file = write('cdk.tf.json', {
    data,
    resource: {
      aws_lambda_function: { charge },
      aws_lambda_alias: {
        live: { name: 'live', function_name: '${aws_lambda_function.charge.function_name}' },
        byarn: { name: 'live', function_name: '${aws_lambda_function.charge.arn}' },
      },
      aws_sfn_state_machine: { orders: calling(reference) },
    },
  });
  const execution = await stateMachine.fromTerraform(file).run({ functions: { ChargeCard: 'called' } });
  expect(execution.output).toBe('called');
});

test.each([
  ['an argument', '${aws_sns_topic.alerts.name}', 'alerts-1'],
  [
    'several in one text',
    '${data.aws_region.here.name}/${ data.aws_caller_identity.here.account_id }',
    'us-east-1/123456789012',
  ],
  ['a variable', '${var.stage}', 'prod'],
  ['a local value', '${local.prefix}', 'my-prod'],
  ['a number', '${aws_sns_topic.alerts.count_of}', '3'],
  [
    'its own ARN',
    '${aws_sfn_state_machine.orders.arn}',
    'arn:aws:states:us-east-1:123456789012:stateMachine:orders',
  ],
  ['an escape', '$${literal} and %%{literal}', '${literal} and %{literal}'],
])('%s', async (_what, text, value) => {
  const resource = {
    aws_sns_topic: { alerts: { name: 'alerts-1', count_of: 3 } },
    aws_sfn_state_machine: { orders: returning(text) },
  };
  const rest = { variable: { stage: { default: 'prod' } }, locals: { prefix: 'my-${var.stage}' } };
  expect(await outputOf(resource, rest)).toBe(value);
});

test('what is given comes first, also for what is an expression', async () => {
  const resource = { aws_sfn_state_machine: { orders: returning('${var.stage} ${upper(var.stage)}') } };
  const references = { 'var.stage': 'test', 'upper(var.stage)': 'TEST' };
  expect(await outputOf(resource, { variable: { stage: { default: 'prod' } } }, { references })).toBe(
    'test TEST',
  );
});

test.each([
  [
    '${aws_sns_topic.alerts.arn}',
    /refers to "aws_sns_topic.alerts.arn", which can't be resolved \(its value is not/,
  ],
  ['${aws_sns_topic.nobody.name}', /"aws_sns_topic.nobody.name"/],
  ['${var.stage}', /"var.stage".*; say what it stands for: references: \{ 'var.stage': '…' \}$/],
  ['${jsonencode({a = 1})}', /refers to "\$\{…".*only plain references are understood/],
  ['%{ if true }', /refers to "%\{…"/],
  ['${aws_lambda_function.charge[0].arn}', /"aws_lambda_function.charge\[0\].arn"/],
  ['${local.a}', /"local.a".*it leads back to itself/],
  ['${aws_lambda_function.nameless.arn}', /aws_lambda_function.nameless has no function_name/],
  ['${module.other.arn}', /"module.other.arn"/],
])('%s is refused by its name', async (text, message) => {
  const resource = {
    aws_sns_topic: { alerts: { name: 'alerts' } },
    aws_lambda_function: { charge, nameless: {} },
    aws_sfn_state_machine: { orders: returning(text) },
  };
  const reading = outputOf(resource, { locals: { a: '${local.b}', b: '${local.a}' } });
  await expect(reading).rejects.toThrow(TerraformError);
  await expect(reading).rejects.toThrow(message);
});

describe('which state machine', () => {
  const two = {
    resource: {
      aws_sfn_state_machine: {
        first: returning('1', { name: 'one' }),
        second: returning('2', { name: 'two', type: 'EXPRESS' }),
      },
    },
  };

  test.each([
    ['two', '2'],
    ['second', '2'],
    ['one', '1'],
  ])('by its name: %s', async (name, output) => {
    const file = write('main.tf.json', two);
    const machine = stateMachine.fromTerraform(file, { name });
    expect((await machine.run()).output).toBe(output);
    expect(machine.type).toBe(output === '2' ? 'EXPRESS' : 'STANDARD');
  });

  test('one of several has to be named', () => {
    const file = write('main.tf.json', two);
    expect(() => stateMachine.fromTerraform(file)).toThrow(
      `${file}: expected one aws_sfn_state_machine, got "one", "two"; say which: name: 'one'`,
    );
    expect(() => stateMachine.fromTerraform(file, { name: 'three' })).toThrow(
      `${file}: expected one aws_sfn_state_machine of the name "three", got "one", "two"`,
    );
  });

  test('none', () => {
    const file = write('main.tf.json', { resource: {} });
    expect(() => stateMachine.fromTerraform(file)).toThrow('expected an aws_sfn_state_machine, got none');
  });

  test.each([
    [{ definition: 1 }, /aws_sfn_state_machine.orders.definition: expected JSON text, got 1$/],
    [{ type: 'QUICK' }, /aws_sfn_state_machine.orders.type: expected STANDARD or EXPRESS, got "QUICK"$/],
  ])('with %j is refused', (fields, message) => {
    const file = write('main.tf.json', {
      resource: { aws_sfn_state_machine: { orders: returning('x', fields) } },
    });
    expect(() => stateMachine.fromTerraform(file)).toThrow(message);
  });
});

describe('where it is', () => {
  const machine = { aws_sfn_state_machine: { orders: [returning('${aws_sns_topic.t.name}')] } };
  const topic = { aws_sns_topic: { t: { name: 'topic' } } };

  test('in the files of a folder together', async () => {
    write('a.tf.json', { resource: machine });
    write('b.tf.json', { resource: topic });
    write('ignored.json', '{');
    expect((await stateMachine.fromTerraform(folder).run()).output).toBe('topic');
  });

  test('in the stacks of a folder that CDKTF synthesized', async () => {
    const stacks = {
      one: { synthesizedStackPath: 'stacks/one/cdk.tf.json' },
      two: { synthesizedStackPath: 'stacks/two/cdk.tf.json' },
    };
    write('manifest.json', { stacks });
    write('stacks/one/cdk.tf.json', { resource: {} });
    write('stacks/two/cdk.tf.json', { resource: { ...machine, ...topic } });
    expect((await stateMachine.fromTerraform(folder).run()).output).toBe('topic');
  });

  test.each([
    ['nowhere', undefined, /nowhere: expected a Terraform JSON file or a folder with some, got nothing$/],
    ['main.tf', 'resource {}', /main\.tf: Terraform in JSON is read here, not HCL/],
    ['broken.tf.json', '{', /broken\.tf\.json: expected Terraform in JSON, got /],
    ['list.tf.json', '[]', /list\.tf\.json: expected an object, got \[\]$/],
  ])('not in %s', (name, content, message) => {
    const file = content === undefined ? join(folder, name) : write(name, content);
    expect(() => stateMachine.fromTerraform(file)).toThrow(TerraformError);
    expect(() => stateMachine.fromTerraform(file)).toThrow(message);
  });

  test('not in a folder with HCL, or with nothing', () => {
    expect(() => stateMachine.fromTerraform(folder)).toThrow(
      /expected files that end in \.tf\.json, got none$/,
    );
    write('main.tf', '');
    expect(() => stateMachine.fromTerraform(folder)).toThrow(/not HCL/);
  });
});

test('task and other resources do not matter', async () => {
  const resource = {
    aws_dynamodb_table: { t: { name: '${upper("x")}' } },
    aws_sfn_state_machine: {
      orders: { name: 'n', definition: JSON.stringify(definitionOf({ A: task('f') })) },
    },
  };
  const file = write('cdk.tf.json', { resource });
  expect((await stateMachine.fromTerraform(file).run({ functions: { f: 1 } })).output).toBe(1);
});
