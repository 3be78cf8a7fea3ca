import type { FieldProblem } from '../../expiry/errors.ts';
import {
  boolean,
  isObject,
  type Kind,
  kind,
  objectProblems,
  oneOf,
  text,
  whole,
} from '../../expiry/fields.ts';
import type { TargetKind } from '../../functions/only-expiries/contract.ts';
import { isReference, orReference } from './terraform-text.ts';

/** Service and resource in the ARN of each kind of target. Source: EventBridge User Guide, "Pipes targets". */
const TARGETS = {
  bus: /^events:event-bus\/[\w./-]{1,256}$/,
  queue: /^sqs:[\w-]{1,80}$/,
  fifoQueue: /^sqs:[\w-]{1,75}\.fifo$/,
  topic: /^sns:[\w-]{1,256}$/,
  stream: /^kinesis:stream\/[\w.-]{1,128}$/,
  firehose: /^firehose:deliverystream\/[\w.-]{1,64}$/,
  function: /^lambda:function:[\w-]{1,64}(:[\w$-]{1,128})?$/,
  stateMachine: /^states:stateMachine:[\w-]{1,80}$/,
} as const satisfies Readonly<Partial<Record<TargetKind, RegExp>>>;

export type EventTarget = keyof typeof TARGETS;
export const EVENT_TARGETS = Object.keys(TARGETS) as EventTarget[];

export interface EventsProp {
  /** The ARN of one target, or the ARNs of two targets. Each target gets every event. */
  readonly to: string | readonly string[];
  /** The kind of every target in `to`. Necessary only for a reference, whose ARN only Terraform knows. @default the kind in the ARN */
  readonly as?: EventTarget;
  /** Whether an event contains the deleted item. @default false */
  readonly oldImage?: boolean;
}

export interface ArchiveProp {
  /** Name of an existing bucket for the archive. @default a bucket that the deployment makes and never deletes */
  readonly bucket?: string;
  /** Days for which nobody, not even the account's root user, can delete or replace an object of the deployment's bucket. @default 0 */
  readonly lockDays?: number;
}

interface PipedTable {
  readonly archive?: boolean | ArchiveProp | undefined;
  readonly events?: EventsProp | undefined;
}

export interface Pipe {
  /** The end of the pipe's name. Contains the kind, so that a new kind makes a new pipe: an updated pipe would keep old parameters. */
  readonly id: string;
  readonly kind: TargetKind;
  readonly to: string | undefined;
  readonly oldImage: boolean;
}

/** Maximum number of readers of a stream's shard without throttling. Source: DynamoDB Developer Guide, DynamoDB Streams quotas. */
const STREAM_READERS = 2;

export function pipesOf({ archive, events }: PipedTable): Pipe[] {
  const { to = [], as, oldImage = false } = events ?? {};
  return [
    ...(archive ? [{ id: 'archive', kind: 'archive', to: undefined, oldImage: true } as const] : []),
    ...[to].flat().map((arn, index, [first = '']): Pipe => {
      const kind = targetOf(arn, as) ?? 'queue';
      const id = index > 0 && kind === targetOf(first, as) ? `${kind}-2` : kind;
      return { id, kind, to: arn, oldImage };
    }),
  ];
}

export function archiveOf({ archive }: PipedTable): ArchiveProp | undefined {
  return archive === true ? {} : archive || undefined;
}

function targetOf(arn: string, as: EventTarget | undefined): EventTarget | undefined {
  if (isReference(arn)) return as;
  const [, service, resource] = /^arn:[a-z0-9-]+:([a-z0-9-]+):[a-z0-9-]+:\d{12}:(.+)$/.exec(arn) ?? [];
  return EVENT_TARGETS.find(target => TARGETS[target].test(`${service}:${resource}`));
}

/**
 * The name of a general purpose bucket, without the beginnings and ends that S3 keeps for itself. Source: Amazon S3 User Guide, "General
 * purpose bucket naming rules".
 */
export const BUCKET = text(
  /^(?!xn--|sthree-|amzn-s3-demo-)(?!.*(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$)(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  'the name of a bucket: 3 to 63 small letters, digits, `-` and single `.`, no IP address, and without the beginnings and ends that S3 keeps for itself',
);

/** S3's maximum: a hundred years. Source: Amazon S3 User Guide, "Managing Object Lock". */
const MAX_LOCK_DAYS = 36_500;

const REMEDY = 'Correct the value, or leave the field out for its default.';

const NO_LOCK = kind<never>(() => false, 'none with bucket', {
  remedy: () =>
    'Leave it out: a deployment changes nothing about an existing bucket. Lock that one yourself.',
});

export const ARCHIVE: Kind<boolean | ArchiveProp> = kind(
  value => typeof value === 'boolean' || isObject(value),
  'true, false, or { bucket: … } or { lockDays: … }',
  {
    inside: archive => {
      if (typeof archive === 'boolean') return [];
      const bucket = orReference(BUCKET);
      const days = whole(0, MAX_LOCK_DAYS, 'a whole number of days');
      const lockDays = archive.bucket === undefined ? days : NO_LOCK;
      return objectProblems({ bucket, lockDays }, archive, { remedy: REMEDY });
    },
  },
);

const ARNS = kind<string | readonly string[]>(
  value => [value].flat().length > 0 && [value].flat().every(each => typeof each === 'string'),
  'the ARN of what gets the events, or a list of two',
);

export const EVENTS: Kind<EventsProp> = kind(isObject, "{ to: 'arn:…' }", {
  inside: events => {
    const kinds = { to: ARNS, as: oneOf(EVENT_TARGETS), oldImage: boolean() };
    const problems = objectProblems(kinds, events, { required: ['to'], remedy: REMEDY });
    return problems.length > 0 ? problems : targetProblems(events);
  },
});

const NO_TARGETS: readonly (readonly [RegExp, string])[] = [
  [/:sns:.*\.fifo$/, 'Pipes do not deliver to FIFO topics. Take a FIFO queue, or a topic that is none.'],
  [/:events:.*:rule\//, 'Give the bus, not a rule of it.'],
  [/:states:.*:(express|execution|activity)/, 'Give the state machine.'],
  [
    /:dynamodb:|:s3:|:logs:|:ecs:|:batch:|:api-destination\//,
    'Let a bus, a queue or a function pass them on.',
  ],
];

function targetProblems({ to, as }: EventsProp): FieldProblem[] {
  const arns = [to].flat();
  return arns.flatMap((arn, index): FieldProblem[] => {
    const field = Array.isArray(to) ? `to[${index}]` : 'to';
    if (isReference(arn) && as === undefined) {
      const expected = `one of ${EVENT_TARGETS.map(each => `'${each}'`).join(', ')}`;
      return [
        { field: 'as', expected, got: as, remedy: `Add it: the ARN ${arn} is known to Terraform only.` },
      ];
    }
    const is = targetOf(arn, as);
    if (is !== undefined && (as === undefined || as === is)) return [];
    const expected = `the ARN of ${as ?? `a ${EVENT_TARGETS.join(', ')}`}, in the region of the table`;
    const why = NO_TARGETS.find(([like]) => like.test(arn))?.[1] ?? 'Correct it.';
    return [{ field, expected, got: arn, remedy: is === undefined ? why : `Leave out as: it is a ${is}.` }];
  });
}

export function pipeProblems(table: PipedTable): FieldProblem[] {
  const { length } = pipesOf(table);
  if (length <= STREAM_READERS) return [];
  return [
    {
      field: 'events',
      expected: `at most ${STREAM_READERS} pipes, with the archive: more readers of a stream are throttled`,
      got: `${length}`,
      remedy: 'Send the events to a bus or a topic, and let that pass them on.',
    },
  ];
}
