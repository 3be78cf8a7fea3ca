import { synthesizedCloud } from '../../local/stack/synthesized.ts';
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
}

/** Returns, as Markdown, the roles of an example deployment with their permissions, without those for logs and KMS. */
export function rolesList(): string {
  const roles = [...rolesOfExample('bus')].filter(([, statements]) => statements.length > 0);
  const lines = roles.map(([role, all]) => `- \`${role}\`: ${all.map(inWords).join('; ')}`);
  const others = EVENT_TARGETS.map(target => {
    const all = [...rolesOfExample(target).values()].flat();
    const own = all.find(({ Resource }) => Resource.includes(EXAMPLE_ARNS[target]));
    return `\`${target}\`: ${namesOf(own?.Action ?? [])}`;
  });
  return `${lines.join('\n')}\n\nWhere the events go decides the permission on it: ${others.join('; ')}.`;
}

function rolesOfExample(target: EventTarget): Map<string, readonly Statement[]> {
  const table = { ...EXAMPLE, events: { to: EXAMPLE_ARNS[target] } };
  const { blocks } = synthesizedCloud(plainStack({ region: 'us-east-1', tables: [table] }));
  const policies = blocks.filter(({ type }) => type === 'aws_iam_role_policy');
  return new Map(
    policies.map(({ body }) => {
      const statements: readonly Statement[] = JSON.parse(String(body['policy'])).Statement;
      return [
        String(body['name']),
        statements.filter(({ Action: [first = ''] }) => !/^(?:kms|logs):/.test(first)),
      ];
    }),
  );
}

function inWords({ Action, Resource }: Statement): string {
  // `local` stands for what is known only after a deployment: the end of a bucket's name, and a stream's label. The list shows `*`.
  const resources = Resource.map(arn => arn.replace(/^arn:(?:[^:]*:){4}/, '').replace(/local(?=\/|$)/, '*'));
  return `${namesOf(Action)} on ${namesOf(resources)}`;
}

const namesOf = (names: readonly string[]) => names.map(name => `\`${name}\``).join(', ');
