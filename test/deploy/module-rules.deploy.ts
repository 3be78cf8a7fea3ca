// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a name that Terraform must not take for a template
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { alarmsOf } from '../../stacks/alarms.ts';
import { type PreciseTtlProps, propProblems, refusesNativeTtl, resolveProps } from '../../stacks/props.ts';
import { reconcileParts } from '../../stacks/reconcile-parts.ts';
import { localsTf } from '../../stacks/terraform-module/hcl.ts';
import { alarmKey } from '../../stacks/terraform-module/monitoring.ts';
import { variablesOf } from '../../stacks/terraform-module/variables.ts';
import { concurrentChildren } from '../../statemachine/concurrent-children.ts';
import { inputsOf } from './support/modules.ts';
import { describeWithTerraform } from './support/proof.ts';
import { run } from './support/run.ts';

/** What the locals come to. */
interface WorkedOut {
  readonly name: string;
  readonly indexName: string;
  readonly pollSeconds: number;
  readonly lookbackMinutes: number;
  readonly concurrentChildren: number;
  readonly refusesNativeTtl: boolean;
  readonly parts: Readonly<
    Record<string, { minute: number; lookback_minutes: number; skip_minutes: number }>
  >;
  /** Of the alarms that there are, by name. */
  readonly alarms: Readonly<Record<string, { threshold: number; periods: number }>>;
}

const WORKED_OUT = `{
  name               = local.name
  indexName          = local.index_name
  pollSeconds        = local.poll_seconds
  lookbackMinutes    = local.lookback_minutes
  concurrentChildren = local.concurrent_children
  refusesNativeTtl   = local.refuses_native_ttl
  parts              = local.reconcile_parts
  alarms = {
    for name, alarm in local.alarms : name => { threshold = alarm.threshold, periods = alarm.periods } if alarm.is_made
  }
}`;

/** Whether all conditions of all variables hold. */
const IS_VALID = `alltrue([${variablesOf('new-table')
  .flatMap(({ validations }) => validations.map(({ condition }) => condition))
  .join(',\n')}])`;

type Case = PreciseTtlProps;

/** What an expression of the module comes to for each case. Terraform works it out, without a provider. */
async function answers<Answer>(cases: readonly Case[], expression: string, locals = ''): Promise<Answer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-rules-'));
  const variables = variablesOf('new-table');
  const inputs = Object.fromEntries(cases.map((props, index) => [String(index), inputsOf(props)]));
  try {
    mkdirSync(join(folder, 'case'));
    writeFileSync(
      join(folder, 'case/main.tf'),
      `${variables
        .map(({ name, type, default: fallback }) =>
          fallback === undefined || fallback === null
            ? `variable "${name}" {\n  type = ${type}\n  default = null\n}\n`
            : `variable "${name}" {\n  type = ${type}\n  default = ${JSON.stringify(fallback)}\n  nullable = false\n}\n`,
        )
        .join('')}
${locals}
output "answer" {
  value = ${expression}
}
`,
    );
    writeFileSync(join(folder, 'cases.json'), JSON.stringify(inputs));
    writeFileSync(
      join(folder, 'main.tf'),
      `locals {\n  cases = jsondecode(file("cases.json"))\n}\nmodule "case" {\n  source   = "./case"\n  for_each = local.cases\n${variables
        .map(({ name }) => `  ${name} = try(each.value.${name}, null)\n`)
        .join('')}}\noutput "answers" {\n  value = { for id, each in module.case : id => each.answer }\n}\n`,
    );
    const terraform = (...args: string[]) =>
      run(process.env['TERRAFORM_BINARY_NAME'] ?? 'terraform', args, {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CHECKPOINT_DISABLE: '1' },
        maxBuffer: 2 ** 26,
      });
    await terraform('init', '-input=false');
    await terraform('apply', '-auto-approve', '-input=false');
    const { stdout } = await terraform('output', '-json', 'answers');
    const found = JSON.parse(stdout) as Readonly<Record<string, Answer>>;
    return cases.map((_each, index) => found[String(index)] as Answer);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TABLE = { tableName: 'Tokens', partitionKey: 'id' };

const SUBNETS = Array.from({ length: 17 }, (_unused, index) => `subnet-${index}a`);
const GROUPS = Array.from({ length: 6 }, (_unused, index) => `sg-${index}a`);

/** Values at both sides of every boundary. Those that a type of Terraform already refuses are not among them. */
const VALUES: { readonly [Prop in keyof Case]?: readonly Case[Prop][] } = {
  tableName: ['ab', 'abc', 'a'.repeat(34), 'a.b-c_d', 'a b', 'ü'.repeat(4), ''],
  partitionKey: ['', 'x', 'x'.repeat(255), 'x'.repeat(256), 'ü'.repeat(127), 'ü'.repeat(128), 'ttl', '${x}'],
  partitionKeyType: ['S', 'N', 'B', 's' as 'S'],
  sortKey: ['', 'y', 'id', 'expirationWindow', 'x'.repeat(256)],
  sortKeyType: ['S'],
  ttlAttribute: ['', 'expiry', 'id', 'x'.repeat(255)],
  indexedBy: ['window', 'second', 'Second' as 'second', '' as 'second'],
  windowAttribute: ['', 'window', 'ttl'],
  indexName: ['ab', 'abc', 'a b', 'a'.repeat(255), 'a'.repeat(256)],
  granularityMinutes: [0, 1, 7, 10, 11, 1.5, 720, 1440, 1441, -1],
  shards: [0, 1, 100, 101, 2.5],
  deleteMode: ['guarded', 'batch', 'Batch' as 'batch'],
  holdAttribute: ['', 'legalHold', 'id', 'ttl', 'expirationWindow', 'x'.repeat(255), 'x'.repeat(256)],
  graceSeconds: [-1, 0, 1, 1.5, 2_592_000, 2_592_001],
  precisionSeconds: [0, 1, 60, 61, 1.5],
  pollSeconds: [-1, 0, 1, 60, 61],
  lookbackMinutes: [0, 1, 1440, 1441, 44_640, 44_641],
  reconcileHours: [0, 1, 744, 745],
  shardConcurrency: [-1, 0, 1, 1000, 1001],
  chunkConcurrency: [0, 1, 40, 41],
  deleteAttempts: [0, 1, 100, 101],
  backoffBaseSeconds: [0, 1, 20, 21, 60, 61],
  backoffCapSeconds: [0, 1, 30, 31],
  logRetentionDays: [0, 1, 2, 731, 3653],
  functionMemoryMb: [127, 128, 10_240, 10_241, 128.5],
  metricsNamespace: ['', 'AWS/Mine', 'AWS', ':a', 'a:b', ' ', 'a b', 'a'.repeat(255), 'a'.repeat(256), 'ü'],
  permissionsBoundary: [
    'arn:aws:iam::123456789012:policy/boundary',
    'arn:aws:iam::aws:policy/Any',
    'boundary',
    '',
  ],
  rolePath: ['/', '/teams/identity/', 'teams/', '/teams', `/${'x'.repeat(510)}/`, `/${'x'.repeat(511)}/`, ''],
  vpc: [
    { subnetIds: SUBNETS.slice(0, 1), securityGroupIds: GROUPS.slice(0, 1) },
    { subnetIds: SUBNETS.slice(0, 16), securityGroupIds: GROUPS.slice(0, 5) },
    { subnetIds: SUBNETS, securityGroupIds: GROUPS.slice(0, 1) },
    { subnetIds: SUBNETS.slice(0, 1), securityGroupIds: GROUPS },
    { subnetIds: [], securityGroupIds: GROUPS.slice(0, 1) },
    { subnetIds: SUBNETS.slice(0, 1), securityGroupIds: [] },
    { subnetIds: GROUPS.slice(0, 1), securityGroupIds: SUBNETS.slice(0, 1) },
    { subnetIds: ['subnet-'], securityGroupIds: ['sg-'] },
    { subnetIds: ['subnet-A'], securityGroupIds: ['sg-1'] },
    { subnetIds: ['subnet-a'], securityGroupIds: ['sg-A'] },
  ],
  kmsKeyArn: [
    'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000',
    'arn:aws-cn:kms:cn-north-1:123456789012:key/mrk-1',
    'arn:aws:kms:us-east-1:123456789012:alias/main',
    'arn:aws:kms:us-east-1:12345678901:key/1',
    'alias/main',
    '',
  ],
  metrics: ['all', 'essential', 'none' as 'all'],
  alarmTopicArn: [
    'arn:aws:sns:us-east-1:123456789012:on-call',
    'arn:aws-cn:sns:cn-north-1:123456789012:on_call',
    'arn:aws:sns:us-east-1:12345678901:on-call',
    'arn:aws:sqs:us-east-1:123456789012:on-call',
    '',
  ],
  alarms: [
    false,
    {},
    { overdue: false },
    { overdue: {} },
    { overdue: { threshold: 0 } },
    { overdue: { threshold: 1, periods: 288 } },
    { overdue: { periods: 289 } },
    { noSweep: { periods: 720 } },
    { noSweep: { periods: 721 } },
    { noSweep: { threshold: 1 } },
    { deletionLag: { threshold: 2_678_400_000 } },
    { deletionLag: { threshold: 2_678_400_001 } },
    { deletionLag: { threshold: 1.5 } },
    { lag: {} } as object,
  ],
  dashboard: [true, false],
  name: ['', 'a', 'a'.repeat(45), 'a'.repeat(46), 'a.b'],
  tags: [
    {},
    { team: 'identity' },
    { team: '' },
    { 'aws:team': 'a' },
    { team: 'AWS:a' },
    { team: 'a', Team: 'b' },
    { 'tëam (1)': 'a' },
    { ['x'.repeat(128)]: 'x'.repeat(256) },
    { ['x'.repeat(129)]: 'x' },
    { x: 'x'.repeat(257) },
    Object.fromEntries(Array.from({ length: 50 }, (_unused, index) => [`key${index}`, 'x'])),
    Object.fromEntries(Array.from({ length: 51 }, (_unused, index) => [`key${index}`, 'x'])),
  ],
};

const BY_SECOND = { ...TABLE, indexedBy: 'second' } as const;

const RELATIONS: readonly Case[] = [
  { ...BY_SECOND, windowAttribute: 'window' },
  { ...BY_SECOND, granularityMinutes: 2 },
  { ...BY_SECOND, shards: 2 },
  { ...BY_SECOND, sortKey: 'expirationWindow' },
  { ...BY_SECOND, ttlAttribute: 'expirationWindow' },
  { ...BY_SECOND, sortKey: 'ttl' },
  { ...BY_SECOND, holdAttribute: 'expirationWindow' },
  { ...BY_SECOND, holdAttribute: 'ttl' },
  { ...BY_SECOND, indexName: 'byTtl' },
  { ...BY_SECOND, pollSeconds: 0 },
  { ...BY_SECOND, pollSeconds: 1 },
  { ...BY_SECOND, pollSeconds: 2 },
  { ...BY_SECOND, precisionSeconds: 10 },
  { ...BY_SECOND, precisionSeconds: 10, pollSeconds: 0 },
  { ...BY_SECOND, precisionSeconds: 10, pollSeconds: 9 },
  { ...BY_SECOND, precisionSeconds: 10, pollSeconds: 10 },
  { ...BY_SECOND, precisionSeconds: 10, pollSeconds: 11 },
  { ...BY_SECOND, precisionSeconds: 60 },
  { ...BY_SECOND, precisionSeconds: 60, pollSeconds: 60 },
  { ...BY_SECOND, lookbackMinutes: 120 },
  { ...BY_SECOND, lookbackMinutes: 121 },
  { ...BY_SECOND, lookbackMinutes: 44_640, reconcileHours: 744 },
  { ...BY_SECOND, reconcileHours: 1 },
  { ...TABLE, granularityMinutes: 60 },
  { ...TABLE, granularityMinutes: 60, lookbackMinutes: 59 },
  { ...TABLE, granularityMinutes: 60, lookbackMinutes: 60 },
  { ...TABLE, granularityMinutes: 1440, reconcileHours: 23 },
  { ...TABLE, granularityMinutes: 1, lookbackMinutes: 599, shards: 100 },
  { ...TABLE, granularityMinutes: 1, lookbackMinutes: 600, shards: 100 },
  { ...TABLE, lookbackMinutes: 61, reconcileHours: 1 },
  { ...TABLE, pollSeconds: 9, precisionSeconds: 10 },
  { ...TABLE, pollSeconds: 10, precisionSeconds: 10 },
  { ...TABLE, pollSeconds: 60, precisionSeconds: 60 },
  { ...TABLE, sortKey: 'version', sortKeyType: 'N' },
  { ...TABLE, sortKey: 'version', holdAttribute: 'version' },
  { ...TABLE, deleteMode: 'batch', holdAttribute: 'legalHold' },
  { ...TABLE, deleteMode: 'batch', graceSeconds: 1 },
  { ...TABLE, metrics: 'essential', alarms: { overdue: { periods: 2 } } },
  { ...TABLE, metrics: 'essential', alarms: { overdue: false, deletionLag: { periods: 2 } } },
  { ...TABLE, tableName: 'a'.repeat(33) },
  { ...TABLE, tableName: 'a'.repeat(255), name: 'short' },
];

describeWithTerraform('the variables and locals of the Terraform modules', () => {
  test('refuse what the props refuse, and nothing else', async () => {
    const cases = [
      ...Object.entries(VALUES).flatMap(([prop, values]) =>
        values.map(value => ({ ...TABLE, [prop]: value }) as Case),
      ),
      ...RELATIONS,
    ];
    const verdicts = (await answers<boolean>(cases, IS_VALID)).map((isValid, index) => ({
      ...cases[index],
      isValid,
    }));
    const expected = cases.map(each => ({ ...each, isValid: propProblems(each).length === 0 }));
    expect(verdicts).toEqual(expected);
  });

  test('work out what the constructs work out', async () => {
    const arbitrary = fc.record({
      tableName: fc.constantFrom('Tokens', 'a.b.c'),
      partitionKey: fc.constant('id'),
      granularityMinutes: fc.constantFrom(1, 2, 3, 5, 60, 1440),
      shards: fc.integer({ min: 1, max: 100 }),
      reconcileHours: fc.integer({ min: 24, max: 744 }),
      precisionSeconds: fc.constantFrom(1, 59, 60),
      shardConcurrency: fc.constantFrom(0, 1, 1000),
      enabled: fc.boolean(),
      metrics: fc.constantFrom('all', 'essential'),
      alarms: fc.constantFrom<PreciseTtlProps['alarms'] & {}>(
        false,
        {},
        { noSweep: { periods: 9 }, deletionLag: false },
        { executionsFailed: { threshold: 3 }, deletionLag: { threshold: 5000, periods: 1 } },
        { overdue: { threshold: 60 }, deadLetters: false },
      ),
    });
    const bySecond = fc.record(
      {
        tableName: fc.constant('Tokens'),
        partitionKey: fc.constant('id'),
        indexedBy: fc.constant('second' as const),
        indexName: fc.constant('byTtl'),
        lookbackMinutes: fc.integer({ min: 1, max: 60 }),
        reconcileHours: fc.integer({ min: 1, max: 744 }),
        precisionSeconds: fc.constantFrom(1, 59, 60),
        pollSeconds: fc.constant(0),
      },
      { requiredKeys: ['tableName', 'partitionKey', 'indexedBy'] },
    );
    const held: Case[] = [{ holdAttribute: 'legalHold' }, { graceSeconds: 1 }, { graceSeconds: 0 }].map(
      each => ({
        ...TABLE,
        ...each,
      }),
    );
    const cases: Case[] = [...fc.sample(arbitrary, 100), ...fc.sample(bySecond, 50), ...held].filter(
      each => propProblems(each).length === 0,
    );
    expect(cases.filter(({ indexedBy }) => indexedBy === 'second')).toHaveLength(50);
    expect(cases.length).toBeGreaterThan(100);
    const found = await answers<WorkedOut>(cases, WORKED_OUT, localsTf());
    const expected = cases.map(props => {
      const resolved = resolveProps(props);
      const parts = reconcileParts(resolved).map(({ minute, lookbackMinutes, skipMinutes }, index) => [
        index === 0 ? 'reconcile' : `reconcile-${index + 1}`,
        { minute, lookback_minutes: lookbackMinutes, skip_minutes: skipMinutes },
      ]);
      return {
        name: resolved.name,
        indexName: resolved.indexName,
        pollSeconds: resolved.pollSeconds,
        lookbackMinutes: resolved.lookbackMinutes,
        concurrentChildren: concurrentChildren(resolved),
        refusesNativeTtl: refusesNativeTtl(resolved),
        parts: Object.fromEntries(parts),
        alarms: Object.fromEntries(
          alarmsOf(resolved, { stateMachineArn: '', deadLetterQueueName: '', tableName: '' }).map(
            ({ alarm, threshold, periods }) => [alarmKey(alarm), { threshold, periods }],
          ),
        ),
      };
    });
    expect(found).toEqual(expected);
  });
});
