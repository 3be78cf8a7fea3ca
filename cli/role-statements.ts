import { plainStack } from '../stacks/plain-stack.ts';
import type { PreciseTtlProps } from '../stacks/props.ts';

/** What a role of a deployment may do, in words for a document. */
export interface RoleStatements {
  /** Its name. */
  readonly role: string;
  readonly statements: readonly {
    readonly actions: readonly string[];
    readonly on: string;
    readonly condition: string | undefined;
  }[];
}

/** With everything that has a role, and a key. */
const EXAMPLE: PreciseTtlProps = {
  tableName: 'TABLE',
  name: 'NAME',
  sweep: 'SWEEP',
  partitionKey: 'id',
  backfill: true,
  archive: {},
  archiveFirst: true,
  events: { eventBus: 'BUS' },
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0',
};

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Condition;
}

type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The roles of a table that has everything, as they are synthesized. */
export function rolesOfExample(): RoleStatements[] {
  return policiesOfExample().map(({ name, policy }) => {
    const { Statement: statements } = JSON.parse(policy) as { Statement: readonly Statement[] };
    return {
      role: name,
      statements: statements.map(({ Action: actions, Resource: resources, Condition: condition }) => ({
        actions,
        on: [...new Set(resources.map(inWords))].join(', '),
        condition: condition === undefined ? undefined : conditionInWords(condition),
      })),
    };
  });
}

function policiesOfExample(): { name: string; policy: string }[] {
  const { resource } = plainStack({ region: 'us-east-1', tables: [EXAMPLE] });
  const policies = Object.entries(resource['aws_iam_role_policy'] ?? {}).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return policies.map(([, { name, policy }]) => ({ name: String(name), policy: String(policy) }));
}

/** What an ARN of the example stands for; itself, if nothing is said of it here. */
function inWords(arn: string): string {
  const [, words] = WORDS.find(([pattern]) => pattern.test(arn)) ?? [];
  return words ?? `\`${arn}\``;
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, '`*`'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}\/index\//, "the table's index"],
  [/^\$\{aws_dynamodb_table\.[\w-]+_journal_table_\w+\.arn\}$/, 'the journal'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.arn\}$/, 'the table'],
  [/^\$\{aws_lambda_function\.[\w-]+\.arn\}$/, 'the functions that it calls'],
  [/^\$\{aws_cloudwatch_log_group\.[\w-]+\.arn\}:\*$/, 'its log'],
  [/^\$\{aws_dynamodb_table\.[\w-]+\.stream_arn\}$/, "the table's stream"],
  [/^\$\{aws_sqs_queue\.[\w-]+_failures_\w+\.arn\}$/, 'the queue of what was given up'],
  [/^\$\{aws_sqs_queue\.[\w-]+\.arn\}$/, 'the dead-letter queue'],
  [/:s3:::.*\/before_deletion\/\*$/, 'what it archives first'],
  [/:s3:::.*\/kept\/\*$/, 'its marks of what was not deleted'],
  [/:s3:::/, "the table's part of the archive"],
  [/:event-bus\//, 'where the events go'],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_replay_machine_\w+\.arn\}$|:stateMachine:SWEEP-replay/,
    'the state machine of replays',
  ],
  [
    /^\$\{aws_sfn_state_machine\.[\w-]+_sweep_machine_\w+\.arn\}$|:stateMachine:SWEEP$/,
    'the state machine of ticks',
  ],
  [/:stateMachine:/, 'its state machine'],
  [/:execution:/, 'its executions'],
  [/^arn:aws:kms:/, '`kmsKeyArn`'],
];

function conditionInWords(condition: Condition): string {
  return Object.values(condition)
    .flatMap(tests => Object.keys(tests))
    .map(key => `\`${key}\` is its own`)
    .join(', ');
}
