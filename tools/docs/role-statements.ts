import { plainStack } from '../../stacks/app.ts';
import { EVENT_TARGETS, type EventTarget } from '../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';

const EXAMPLE: PreciseTtlProps = {
  tableName: 'TABLE',
  deployment: 'DEPLOYMENT',
  partitionKey: 'id',
  archive: true,
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0',
};

const IN = 'us-east-1:123456789012';

export const EXAMPLE_ARNS: Readonly<Record<EventTarget, string>> = {
  bus: `arn:aws:events:${IN}:event-bus/EVENTS`,
  queue: `arn:aws:sqs:${IN}:EVENTS`,
  fifoQueue: `arn:aws:sqs:${IN}:EVENTS.fifo`,
  topic: `arn:aws:sns:${IN}:EVENTS`,
  stream: `arn:aws:kinesis:${IN}:stream/EVENTS`,
  firehose: `arn:aws:firehose:${IN}:deliverystream/EVENTS`,
  function: `arn:aws:lambda:${IN}:function:EVENTS`,
  stateMachine: `arn:aws:states:${IN}:stateMachine:EVENTS`,
};

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Lists the synthesized roles of a table with all features. Actions of logs and KMS are left out: all roles have these actions. */
export function rolesList(): string {
  const lines = [...policiesOfExample('bus')].flatMap(([role, statements]) => {
    const may = statements.flatMap(inWords);
    return may.length > 0 ? [`- \`${role}\`: ${may.join('; ')}`] : [];
  });
  const others = EVENT_TARGETS.map(target => {
    const all = [...policiesOfExample(target).values()].flat().flatMap(inWords);
    const own = all.find(words => words.endsWith(TARGET)) ?? '';
    return `\`${target}\`: ${own.replace(` on ${TARGET}`, '')}`;
  });
  return `${lines.join('\n')}\n\nWhere the events go decides the permission on it: ${others.join('; ')}.`;
}

function policiesOfExample(target: EventTarget): Map<string, readonly Statement[]> {
  const table = { ...EXAMPLE, events: { to: EXAMPLE_ARNS[target] } };
  const { resource } = plainStack({ region: 'us-east-1', tables: [table] });
  const policies = Object.entries(resource['aws_iam_role_policy'] ?? {}).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return new Map(
    policies.map(([, { name, policy }]) => [String(name), JSON.parse(String(policy)).Statement]),
  );
}

/** A statement in words. The target has a separate text, even if the dead-letter queue needs the same action. */
function inWords({ Action: actions, Resource: resources, Condition: given }: Statement): string[] {
  if (actions.every(action => /^(?:kms|logs):/.test(action))) return [];
  const may = actions.map(action => `\`${action}\``).join(', ');
  const keys = Object.values(given ?? {}).flatMap(tests => Object.keys(tests));
  const condition = keys.length > 0 ? ` (${keys.map(key => `\`${key}\` is its own`).join(', ')})` : '';
  const words = Object.groupBy(new Set(resources.map(nameOf)), name => (name === TARGET ? 'target' : 'rest'));
  return [words.target, words.rest].flatMap(on =>
    on === undefined ? [] : [`${may} on ${on.join(', ')}${condition}`],
  );
}

/** Describes an ARN of the example in words; returns an unknown ARN unchanged. */
function nameOf(arn: string): string {
  const [, words] = WORDS.find(([pattern]) => pattern.test(arn)) ?? [];
  return words ?? `\`${arn}\``;
}

const TARGET = 'where the events go';

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, '`*`'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}\/index\//, "the table's index"],
  [/^\$\{aws_dynamodb_table\.[\w-]+_journal_table_\w+\.arn\}$|:table\/DEPLOYMENT-journal$/, 'the journal'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}$/, 'the table'],
  [/^\$\{aws_lambda_function\.[\w-]+\.arn\}$/, 'the functions that it calls'],
  [/^\$\{aws_cloudwatch_log_group\.[\w-]+\.arn\}:\*$/, 'its log'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.stream_arn\}$/, "the table's stream"],
  [/^\$\{aws_kinesis_firehose_delivery_stream\./, "the archive's stream"],
  [/^\$\{aws_cloudwatch_log_stream\./, 'its log'],
  [/^\$\{aws_sqs_queue\.[\w-]+\.arn\}$|:DEPLOYMENT-dead-letters$/, 'the dead-letter queue'],
  [/:s3:::[^/]+\//, "the table's part of the archive"],
  [/:s3:::/, 'the bucket of the archive'],
  [/[:/]EVENTS(\.fifo)?$/, TARGET],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_replay_machine_\w+\.arn\}$|:stateMachine:DEPLOYMENT-replay/,
    'the state machine of replays',
  ],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_sweep_machine_\w+\.arn\}$|:stateMachine:DEPLOYMENT$/,
    'the state machine of ticks',
  ],
  [/:stateMachine:/, 'its state machine'],
  [/:execution:/, 'the executions of replays'],
  [/^arn:aws:kms:/, '`kmsKeyArn`'],
];
