import { runInNewContext } from 'node:vm';
import type { Overrides } from '../../config/config.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { configOf } from '../support/configs.ts';
import { type Resource, type TerraformJson, terraformJson } from '../support/synthesized.ts';

const TABLES = ['Sessions', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
const PLAIN = terraformJson(configOf(...TABLES));

/** What each example of the document sets, by the argument that it is about, synthesized for two tables. */
const SYNTHESIZED: Readonly<Record<string, TerraformJson>> = Object.fromEntries(
  codeBlocks('docs/reference/configuration.md', 'ts')
    .filter(code => code.startsWith('overrides:'))
    .map(code => {
      const { overrides } = runInNewContext(`({ ${code} })`) as { overrides: Overrides };
      const subject = ['memory_size', 'table_class', 'vpc_config'].find(each => code.includes(each));
      return [String(subject), terraformJson({ ...configOf(...TABLES), overrides })];
    }),
);

function of(subject: string, type: string, name: string): Resource {
  const all = Object.values(SYNTHESIZED[subject]?.resource[type] ?? {});
  return all.find(each => [each['name'], each['function_name']].includes(name)) ?? {};
}

/** Types of the resources that an example changes. */
const changed = ({ resource }: TerraformJson) =>
  Object.keys(resource).filter(
    type => JSON.stringify(resource[type]) !== JSON.stringify(PLAIN.resource[type]),
  );

const FUNCTIONS = ['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics'].map(
  name => `precise-ttl-${name}`,
);

describe('examples of overrides', () => {
  test('are three, and each changes the types that it names', () => {
    expect(
      Object.fromEntries(Object.entries(SYNTHESIZED).map(([subject, json]) => [subject, changed(json)])),
    ).toEqual({
      memory_size: ['aws_lambda_function'],
      table_class: ['aws_dynamodb_table'],
      vpc_config: ['aws_iam_role', 'aws_lambda_function'],
    });
  });

  test('memory of one function, and processor and Node.js of all', () => {
    const functions = FUNCTIONS.map(name => of('memory_size', 'aws_lambda_function', name));
    expect(functions.map(each => [each['architectures'], each['runtime'], each['memory_size']])).toEqual(
      [512, 512, 1024, 512].map(memory => [['x86_64'], 'nodejs22.x', memory]),
    );
  });

  test('class of one table, and not of the journal or another table', () => {
    const names = ['Sessions', 'Tokens', 'precise-ttl-journal'];
    expect(
      names.map(name => of('table_class', 'aws_dynamodb_table', name)['table_class'] ?? 'STANDARD'),
    ).toEqual(['STANDARD', 'STANDARD_INFREQUENT_ACCESS', 'STANDARD']);
  });

  test('all functions in a VPC, with roles that Lambda can attach them with', () => {
    for (const name of FUNCTIONS) {
      expect(of('vpc_config', 'aws_lambda_function', name)).toMatchObject({
        vpc_config: { subnet_ids: ['subnet-0a1b2c3d'], security_group_ids: ['sg-0a1b2c3d'] },
      });
      expect(of('vpc_config', 'aws_iam_role', name)['managed_policy_arns']).toEqual([
        'arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole',
      ]);
    }
    const others = ['precise-ttl-sweep', 'precise-ttl-replay', 'precise-ttl-schedule'];
    for (const name of others)
      expect(of('vpc_config', 'aws_iam_role', name)).not.toHaveProperty('managed_policy_arns');
  });
});
