// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { ADOPTED, HOLDINGS, PLACES } from '../../config/holdings.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { terraformJson } from '../support/synthesized.ts';

interface Synthesized {
  readonly resource: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly removed: readonly { readonly from: string }[];
  readonly import?: readonly { readonly to: string }[];
}

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id' };
const WHOLE = { archive: {}, events: { eventBus: 'default' } } as const;
const synthesized = (changes: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...TOKENS, ...changes })) as unknown as Synthesized;

const addressesOf = ({ resource }: Synthesized) =>
  Object.entries(resource).flatMap(([type, named]) => Object.keys(named).map(name => `${type}.${name}`));
const typesOf = (addresses: readonly string[]) => [...new Set(addresses.map(each => each.split('.')[0]))];

/** Made anew by the next deployment, with nothing in them that it has not given them. */
const HOLD_NOTHING = [
  'aws_cloudwatch_dashboard',
  'aws_cloudwatch_metric_alarm',
  'aws_iam_role',
  'aws_iam_role_policy',
  'aws_lambda_function',
  'aws_scheduler_schedule',
  'aws_scheduler_schedule_group',
  'aws_sfn_state_machine',
  // The moment from which on events are sent, which is another one when they are turned on again.
  'terraform_data',
];

test('every type that a deployment has is on the list, or is known to hold nothing', () => {
  const listed = Object.values(HOLDINGS).flatMap(holding => ('type' in holding ? [holding.type] : []));
  const settings = typesOf(addressesOf(synthesized(WHOLE))).filter(type =>
    /^aws_s3_bucket_/.test(type ?? ''),
  );
  expect(typesOf(addressesOf(synthesized(WHOLE))).sort()).toEqual(
    [...new Set([...listed, ...settings, ...HOLD_NOTHING])].sort(),
  );
});

test('every queue, topic and log group of a deployment is where the list says, and nothing else is', () => {
  const types = new Set(PLACES.values());
  const made = addressesOf(synthesized(WHOLE)).filter(
    address => types.has(address.split('.')[0] ?? '') && !address.startsWith('aws_dynamodb_table.Tokens_'),
  );
  // All but the topic's policy, which was a resource in an earlier version.
  expect(made).toHaveLength(PLACES.size - 1);
  // Turned off, each of them is forgotten where it stood.
  const { removed } = synthesized({ alarms: false });
  const left = addressesOf(synthesized({ alarms: false }));
  const forgotten = removed.map(({ from }) => from);
  expect(made.filter(address => !forgotten.includes(address) && !left.includes(address))).toEqual([]);
});

test.each<[string, Partial<PreciseTtlProps>]>([
  ['archive', { events: WHOLE.events }],
  ['events', { archive: {} }],
  ['alarms', { ...WHOLE, alarms: false }],
  ['a topic of its own', { ...WHOLE, alarms: 'arn:aws:sns:us-east-1:123456789012:on-call' }],
  ['a bucket of its own', { ...WHOLE, archive: { bucket: 'my-own' } }],
  ['a table of its own', { ...WHOLE, existingTable: true }],
  ['all of it', { alarms: false, existingTable: true }],
])('without %s nothing that holds something goes, but a position', (_name, changes) => {
  const off = synthesized(changes);
  const kept = new Set([...addressesOf(off), ...off.removed.map(({ from }) => from)]);
  const holding = Object.values(HOLDINGS).flatMap(each =>
    'type' in each && each.turnedOff === 'stays' ? [each.type as string] : [],
  );
  const gone = addressesOf(synthesized(WHOLE)).filter(address => !kept.has(address));
  expect(gone.filter(address => holding.some(type => address.startsWith(type)))).toEqual([]);
});

test('the policy that a topic had as a resource of its own is forgotten, not removed', () => {
  expect(synthesized({}).removed.map(({ from }) => from)).toContainEqual(
    expect.stringMatching(/^aws_sns_topic_policy\.sweeps_precise-ttl_alarms_topic-policy_/),
  );
});

test('a log group that can be turned off is looked for before it is made, and no other', () => {
  const { import: imports = [] } = synthesized(WHOLE);
  expect(imports).toHaveLength(ADOPTED.length);
  expect(synthesized({})).not.toHaveProperty('import');
  expect(imports).toContainEqual({
    for_each: expect.stringMatching(/found == "\/aws\/lambda\/precise-ttl-Tokens-archive-expiries"\]\)\}$/),
    to: expect.stringContaining('aws_cloudwatch_log_group.Tokens_archive_reader_archive-expiries_logs_'),
    id: '${each.value}',
  });
});
