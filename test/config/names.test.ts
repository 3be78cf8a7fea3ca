import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdktf';
import fc from 'fast-check';
import { checkConfig } from '../../config/config.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { tablePrefix } from '../../config/props.ts';
import { PreciseTtlStack } from '../../stacks/app.ts';
import { configOf } from '../support/configs.ts';
import { resources, sweptTables, terraformJson } from '../support/synthesized.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TABLE = { tableName: 'Sessions', partitionKey: 'id' };

/** Terraform's rule for names of blocks. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_-]*$/;

const NAME_FIELDS = ['name', 'function_name'] as const;

/** Stand for the prefixes of what a table has, and of what its deployment has. */
const [OF_TABLE, OF_DEPLOYMENT] = ['y0y-x0x', 'y0y'] as const;

/** Type and name of everything that has a name in AWS, but for tables. Each policy has its role's name, and is within it. */
const PATTERNS = Object.entries(
  terraformJson(
    configOf({
      ...TABLE,
      tableName: 'x0x',
      sweep: OF_DEPLOYMENT,
      archive: true,
      events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
    }),
  ).resource,
).flatMap(([type, blocks]) =>
  type === 'aws_iam_role_policy' || type === 'aws_dynamodb_table'
    ? []
    : Object.values(blocks).flatMap(block =>
        NAME_FIELDS.flatMap((field): [string, string][] => {
          const name = block[field];
          return typeof name === 'string' ? [[type, name]] : [];
        }),
      ),
);

describe('tables that are named', () => {
  test.each([
    '1st',
    '-a-',
    '...',
    '.1a',
    '_a_',
    'aws',
    'bundle-plan-sweep',
    'Default',
    'Resource',
    'constructor',
    '__proto__',
  ])('%s get blocks that Terraform takes', tableName => {
    const json = terraformJson(configOf({ ...TABLE, tableName }));
    expect(sweptTables(json)).toEqual([expect.objectContaining({ name: tableName })]);
    for (const blocks of [...Object.values(json.resource), ...Object.values(json.data), json.output]) {
      for (const name of Object.keys(blocks)) expect(name).toMatch(IDENTIFIER);
    }
  });

  test('like anything else that stands in the stack do not meet it', () => {
    const ids = new PreciseTtlStack(new App({ outdir: folder }), 'stack', configOf(TABLE)).node.children.map(
      ({ node }) => node.id,
    );
    const names = ids.filter(id => propProblems({ ...TABLE, tableName: id }).length === 0);
    expect(names).toEqual(expect.arrayContaining(['aws', 'backend', 'Sessions', 'bundle-plan-sweep']));
    for (const tableName of names) {
      expect(() => terraformJson(configOf({ ...TABLE, tableName }))).not.toThrow();
    }
  });
});

test('no two things of a type have one name in AWS, whatever tables and the deployment are called', () => {
  expect(PATTERNS.length).toBeGreaterThan(25);
  const part = fc.constantFrom('plan', 'query', 'sweep', 'Sweep', 'replay', 'expired', 'a', 'tick');
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => `t-${parts.join('-')}`);
  let refused = 0;
  fc.assert(
    fc.property(name, name, name, (...[one, other, first]) => {
      const tables = [
        { tableName: one, sweep: first },
        { tableName: other, sweep: first },
      ].map(each => ({
        ...{
          ...TABLE,
          archive: true,
          events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
        },
        ...each,
      }));
      try {
        checkConfig({ region: 'us-east-1', tables });
      } catch {
        refused += 1;
        return;
      }
      // Tables of one deployment share what it has.
      const own = [
        ...tables.flatMap(each => namesFrom(OF_TABLE, tablePrefix(each.sweep, each.tableName))),
        ...namesFrom(OF_DEPLOYMENT, first),
      ];
      expect(new Set(own).size).toBe(own.length);
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(500);
});

/** Of everything here only roles are told apart without regard to case. */
function namesFrom(placeholder: typeof OF_TABLE | typeof OF_DEPLOYMENT, prefix: string): string[] {
  const own = ([, name]: [string, string]) =>
    name.includes(placeholder) && name.includes(OF_TABLE) === (placeholder === OF_TABLE);
  return PATTERNS.filter(own).map(([type, name]) => {
    const full = `${type} ${name.replaceAll(placeholder, prefix)}`;
    return type === 'aws_iam_role' ? full.toLowerCase() : full;
  });
}

test.each([
  ['SessionData', 'a-SessionData'],
  ['x'.repeat(43), `a-${'x'.repeat(43)}`],
  ['x'.repeat(44), /^a-x{34}-[0-9a-f]{8}$/],
  ['prod.Tokens', /^a-prod-Tokens-[0-9a-f]{8}$/],
])('what table %s has is named after its deployment and it', (tableName, prefix) => {
  expect(tablePrefix('a', tableName)).toMatch(prefix);
});

test('the longest table name that AWS takes makes nothing too long', () => {
  const { resource } = terraformJson(
    configOf({
      ...TABLE,
      tableName: 'x'.repeat(255),
      sweep: 'y'.repeat(45),
      index: { shards: 100 },
      archive: true,
      events: {
        to: `arn:aws:lambda:us-east-1:123456789012:function:${'f'.repeat(64)}:${'a'.repeat(128)}`,
      },
    }),
  );
  // Source: API references of the services.
  const longest: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    aws_lambda_function: { function_name: 64, description: 256 },
    aws_iam_role: { name: 64 },
    aws_iam_role_policy: { name: 128, policy: 10_240 },
    aws_cloudwatch_log_group: { name: 512 },
    aws_sfn_state_machine: { name: 80, definition: 1_048_576 },
    aws_scheduler_schedule: { name: 64 },
    aws_scheduler_schedule_group: { name: 64 },
    aws_sqs_queue: { name: 80 },
    aws_pipes_pipe: { name: 64 },
    aws_kinesis_firehose_delivery_stream: { name: 64 },
    aws_cloudwatch_log_stream: { name: 512 },
    // Terraform adds 26 characters.
    aws_s3_bucket: { bucket_prefix: 63 - 26 },
    aws_s3_bucket_lifecycle_configuration: {},
    aws_s3_bucket_policy: { policy: 20_480 },
    aws_s3_bucket_public_access_block: {},
    aws_s3_bucket_server_side_encryption_configuration: {},
    aws_s3_bucket_versioning: {},
    aws_dynamodb_table: { name: 255 },
    aws_cloudwatch_metric_alarm: { alarm_name: 255, alarm_description: 1024 },
    aws_cloudwatch_dashboard: { dashboard_name: 255 },
    aws_cloudwatch_query_definition: { name: 255 },
    aws_sns_topic: { name: 256, policy: 30_720 },
    terraform_data: {},
  };
  expect(Object.keys(longest)).toEqual(expect.arrayContaining(Object.keys(resource)));
  for (const [type, blocks] of Object.entries(resource)) {
    for (const block of Object.values(blocks)) {
      for (const [field, most] of Object.entries(longest[type] ?? {})) {
        expect({ type, field, length: String(block[field]).length > most }).toEqual({
          type,
          field,
          length: false,
        });
      }
    }
  }
  // Lambda's environment takes 4 KB in all.
  for (const { environment } of resources({ resource } as never, 'aws_lambda_function')) {
    expect(Buffer.byteLength(JSON.stringify(environment))).toBeLessThan(4096);
  }
});
