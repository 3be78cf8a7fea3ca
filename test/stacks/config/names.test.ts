import { App } from 'cdktf';
import fc from 'fast-check';
import { PreciseTtlStack } from '../../../stacks/app.ts';
import { bucketPrefixOf } from '../../../stacks/config/names.ts';
import { propProblems } from '../../../stacks/config/prop-problems.ts';
import { tablePrefix } from '../../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../../tools/docs/role-statements.ts';
import { configOf } from '../../support/configs.ts';
import { resources, sweptTables, terraformJson } from '../../support/synthesized.ts';

const TABLE = { tableName: 'Sessions', partitionKey: 'id' };
const PIPED = { ...TABLE, archive: true, events: { to: EXAMPLE_ARNS.bus } };

/** Whatever else stands in a stack: tables may be called the same. */
const IDS = new PreciseTtlStack(new App(), 'stack', configOf(TABLE)).node.children
  .map(({ node }) => node.id)
  .filter(id => propProblems({ ...TABLE, tableName: id }).length === 0);

test('a table with a name that something else has, or that is no identifier, gets blocks that Terraform takes', () => {
  expect(IDS).toEqual(expect.arrayContaining(['aws', 'backend', 'Sessions', 'bundle-plan-sweep']));
  const odd = ['1st', '-a-', '...', '.1a', '_a_', 'Default', 'Resource', 'constructor', '__proto__', ...IDS];
  const json = terraformJson(configOf(...odd.map(tableName => ({ ...TABLE, tableName }))));
  expect(
    sweptTables(json)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(odd.sort());
  for (const blocks of [...Object.values(json.resource), ...Object.values(json.data), json.output])
    for (const name of Object.keys(blocks)) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/);
});

/** Stand for the prefixes of what a table has, and of what its deployment has. */
const [OF_TABLE, OF_DEPLOYMENT] = ['y0y-x0x', 'y0y'];

/** Type and name of everything that has a name in AWS, but for tables. Each policy has its role's name, and is within it. */
const PATTERNS = Object.entries(
  terraformJson(configOf({ ...PIPED, tableName: 'x0x', deployment: OF_DEPLOYMENT })).resource,
)
  .filter(([type]) => type !== 'aws_iam_role_policy' && type !== 'aws_dynamodb_table')
  .flatMap(([type, blocks]) =>
    Object.values(blocks).flatMap(block =>
      ['name', 'function_name', 'alarm_name'].flatMap(field =>
        typeof block[field] === 'string' ? [`${type} ${block[field]}`] : [],
      ),
    ),
  );

/** What a table, or a deployment, has by these names. Of everything here only roles are told apart without regard to case. */
function namesFrom(placeholder: string, prefix: string): string[] {
  return PATTERNS.filter(name => name.includes(OF_TABLE) === (placeholder === OF_TABLE))
    .map(name => name.replaceAll(placeholder, prefix))
    .map(name => (name.startsWith('aws_iam_role ') ? name.toLowerCase() : name));
}

test('no two things of a type have one name in AWS, whatever tables and the deployment are called', () => {
  // The log stream of archives is within a group of the deployment.
  const nameless = PATTERNS.filter(name => !name.includes(OF_DEPLOYMENT));
  expect(nameless).toEqual(['aws_cloudwatch_log_stream archive']);
  const part = fc.constantFrom('plan', 'query', 'sweep', 'Sweep', 'replay', 'expired', 'a', 'tick');
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => `t-${parts.join('-')}`);
  const different = fc.property(name, name, name, (one, other, sweep) => {
    fc.pre(one !== other);
    const own = [
      ...[one, other].flatMap(each => namesFrom(OF_TABLE, tablePrefix(sweep, each))),
      ...namesFrom(OF_DEPLOYMENT, sweep),
    ];
    expect(new Set(own).size).toBe(own.length);
  });
  fc.assert(different, { numRuns: 2000 });
});

const ofTable = (tableName: string) => tablePrefix('a', tableName);

test.each<[(name: string) => string, string, string | RegExp]>([
  [ofTable, 'SessionData', 'a-SessionData'],
  [ofTable, 'x'.repeat(43), `a-${'x'.repeat(43)}`],
  [ofTable, 'x'.repeat(44), /^a-x{34}-[0-9a-f]{8}$/],
  [ofTable, 'prod.Tokens', /^a-prod-Tokens-[0-9a-f]{8}$/],
  [bucketPrefixOf, 'precise-ttl-Session_Data', /^precise-ttl-session-data-archive-$/],
  [bucketPrefixOf, '-A-', /^a-archive-$/],
  [bucketPrefixOf, '___', /^archive-$/],
  [bucketPrefixOf, 'x'.repeat(45), /^x{28}-archive-$/],
  [bucketPrefixOf, `${'x'.repeat(27)}-y`, /^x{27}-archive-$/],
])('%p of %s begins with %s', (prefixOf, name, prefix) => {
  expect(prefixOf(name)).toMatch(prefix);
});

/** Most characters of what AWS takes. Source: API references of the services. */
const LONGEST: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  aws_lambda_function: { function_name: 64, description: 256 },
  aws_iam_role: { name: 64 },
  aws_iam_role_policy: { name: 128, policy: 10_240 },
  aws_cloudwatch_log_group: { name: 512 },
  aws_cloudwatch_log_stream: { name: 512 },
  aws_sfn_state_machine: { name: 80, definition: 1_048_576 },
  aws_scheduler_schedule: { name: 64 },
  aws_scheduler_schedule_group: { name: 64 },
  aws_sqs_queue: { name: 80 },
  aws_pipes_pipe: { name: 64 },
  aws_kinesis_firehose_delivery_stream: { name: 64 },
  // Terraform adds 26 characters.
  aws_s3_bucket: { bucket_prefix: 63 - 26 },
  aws_s3_bucket_policy: { policy: 20_480 },
  aws_dynamodb_table: { name: 255 },
  aws_cloudwatch_metric_alarm: { alarm_name: 255, alarm_description: 1024 },
  aws_cloudwatch_dashboard: { dashboard_name: 255 },
  aws_cloudwatch_query_definition: { name: 255 },
  aws_sns_topic: { name: 256, policy: 30_720 },
};
const NAMELESS = /^aws_s3_bucket_|^terraform_data$/;

test('the longest names that AWS takes make nothing too long', () => {
  const json = terraformJson(
    configOf({ ...PIPED, tableName: 'x'.repeat(255), deployment: 'y'.repeat(45), dashboard: true }),
  );
  for (const [type, blocks] of Object.entries(json.resource)) {
    expect(type in LONGEST || NAMELESS.test(type)).toBe(true);
    for (const block of Object.values(blocks))
      for (const [field, most] of Object.entries(LONGEST[type] ?? {}))
        expect([type, field, String(block[field]).length <= most]).toEqual([type, field, true]);
  }
  // Lambda's environment takes 4 KB in all.
  for (const { environment } of resources(json, 'aws_lambda_function'))
    expect(Buffer.byteLength(JSON.stringify(environment))).toBeLessThan(4096);
});
