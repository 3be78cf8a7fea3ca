import { EVENT_TARGETS, type EventTarget } from '../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';

/** The permissions of a deployment's role, in words for a document. */
export interface RoleStatements {
  /** Name of the role. */
  readonly role: string;
  readonly statements: readonly StatementInWords[];
}

interface StatementInWords {
  readonly actions: readonly string[];
  readonly on: string;
  readonly condition: string | undefined;
}

/** A table with everything that needs a role or a key. */
const EXAMPLE: PreciseTtlProps = {
  tableName: 'TABLE',
  sweep: 'SWEEP',
  partitionKey: 'id',
  archive: true,
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0',
};

const IN = 'us-east-1:123456789012';

/** An example target of each kind. */
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
  readonly Condition?: Condition;
}

type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The roles of a table with all features, as they are synthesized. Permissions that only one kind of target needs are marked
 * with that kind.
 */
export function rolesOfExample(): RoleStatements[] {
  const variants = EVENT_TARGETS.map(name => ({ name, roles: policiesOfExample(name) }));
  const roles = new Set(variants.flatMap(variant => [...variant.roles.keys()]));
  return [...roles].map(role => {
    const statements = new Map<string, { statement: StatementInWords; needs: EventTarget[] }>();
    for (const variant of variants) {
      for (const statement of variant.roles.get(role) ?? []) {
        const text = JSON.stringify(statement);
        const { needs } = statements.get(text) ?? { needs: [] };
        statements.set(text, { statement, needs: [...new Set([...needs, variant.name])] });
      }
    }
    return {
      role,
      statements: [...statements.values()].map(({ statement, needs }) =>
        needs.length === variants.length ? statement : withTarget(statement, needs),
      ),
    };
  });
}

function withTarget(statement: StatementInWords, needs: readonly EventTarget[]): StatementInWords {
  const fields = `events to a ${needs.join(', ')}`;
  const { condition } = statement;
  return { ...statement, condition: condition === undefined ? fields : `${fields}, and ${condition}` };
}

/** Statements in words, by role name. */
function policiesOfExample(target: EventTarget): Map<string, StatementInWords[]> {
  const table = { ...EXAMPLE, events: { to: EXAMPLE_ARNS[target] } };
  const { resource } = plainStack({ region: 'us-east-1', tables: [table] });
  const policies = Object.entries(resource['aws_iam_role_policy'] ?? {}).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return new Map(policies.map(([, { name, policy }]) => [String(name), statementsIn(String(policy))]));
}

function statementsIn(policy: string): StatementInWords[] {
  const { Statement: statements } = JSON.parse(policy) as { Statement: readonly Statement[] };
  return statements.flatMap(({ Action: actions, Resource: resources, Condition: given }) => {
    const condition = given === undefined ? undefined : conditionInWords(given);
    // The target has its own row, even if the dead-letter queue needs the same action.
    const words = [...new Set(resources.map(inWords))];
    const others = words.filter(each => each !== TARGET);
    return [
      ...(words.includes(TARGET) ? [TARGET] : []),
      ...(others.length > 0 ? [others.join(', ')] : []),
    ].map(on => ({ actions, on, condition }));
  });
}

/** Describes an ARN of the example in words; returns an unknown ARN unchanged. */
function inWords(arn: string): string {
  const [, words] = WORDS.find(([pattern]) => pattern.test(arn)) ?? [];
  return words ?? `\`${arn}\``;
}

const TARGET = 'where the events go';

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, '`*`'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}\/index\//, "the table's index"],
  [/^\$\{aws_dynamodb_table\.[\w-]+_journal_table_\w+\.arn\}$|:table\/SWEEP-journal$/, 'the journal'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}$/, 'the table'],
  [/^\$\{aws_lambda_function\.[\w-]+\.arn\}$/, 'the functions that it calls'],
  [/^\$\{aws_cloudwatch_log_group\.[\w-]+\.arn\}:\*$/, 'its log'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.stream_arn\}$/, "the table's stream"],
  [/^\$\{aws_kinesis_firehose_delivery_stream\./, "the archive's stream"],
  [/^\$\{aws_cloudwatch_log_stream\./, 'its log'],
  [/^\$\{aws_sqs_queue\.[\w-]+\.arn\}$|:SWEEP-dead-letters$/, 'the dead-letter queue'],
  [/:s3:::[^/]+\//, "the table's part of the archive"],
  [/:s3:::/, 'the bucket of the archive'],
  [/[:/]EVENTS(\.fifo)?$/, TARGET],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_replay_machine_\w+\.arn\}$|:stateMachine:SWEEP-replay/,
    'the state machine of replays',
  ],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_sweep_machine_\w+\.arn\}$|:stateMachine:SWEEP$/,
    'the state machine of ticks',
  ],
  [/:stateMachine:/, 'its state machine'],
  [/:execution:/, 'the executions of replays'],
  [/^arn:aws:kms:/, '`kmsKeyArn`'],
];

function conditionInWords(condition: Condition): string {
  return Object.values(condition)
    .flatMap(tests => Object.keys(tests))
    .map(key => `\`${key}\` is its own`)
    .join(', ');
}
