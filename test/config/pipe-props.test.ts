// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

import { pipesOf } from '../../config/pipe-props.ts';
import { propProblems } from '../../config/prop-problems.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { describeProblem } from '../../expiry/errors.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { SESSION_DATA } from '../support/configs.ts';

const { bus, queue, topic, stream } = EXAMPLE_ARNS;
const TABLE = 'aws_sqs_queue.expired.arn';
const REFERENCE = `\${${TABLE}}`;

test.each(Object.entries(EXAMPLE_ARNS))('the ARN of a %s says what it is', (kind, to) => {
  expect(propProblems({ ...SESSION_DATA, events: { to } })).toEqual([]);
  expect(pipesOf({ events: { to } })).toEqual([{ id: kind, kind, to, oldImage: false }]);
});

test('an archive and events are a pipe each, and a list of two is two', () => {
  const ids = (table: Parameters<typeof pipesOf>[0]) => pipesOf(table).map(({ id, kind }) => [id, kind]);
  const both = [
    ['queue', 'queue'],
    ['topic', 'topic'],
  ];
  expect(ids({ archive: true, events: { to: queue } })).toEqual([['archive', 'archive'], both[0]]);
  expect(ids({ archive: false, events: { to: [queue, topic] } })).toEqual(both);
  expect(ids({ archive: {}, events: { to: [queue] } })).toEqual([['archive', 'archive'], both[0]]);
  expect(ids({ events: { to: [queue, `${queue}-other`] } })).toEqual([both[0], ['queue-2', 'queue']]);
  expect(ids({})).toEqual([]);
});

test('what only Terraform knows is what `as` says', () => {
  expect(propProblems({ ...SESSION_DATA, events: { to: REFERENCE, as: 'fifoQueue' } })).toEqual([]);
  expect(pipesOf({ events: { to: REFERENCE, as: 'fifoQueue' } })).toMatchObject([{ kind: 'fifoQueue' }]);
});

const REGION = 'us-east-1:123456789012';

test.each<[string, Partial<PreciseTtlProps>, string]>([
  [
    'events to nowhere',
    { events: {} as never },
    'events.to: expected the ARN of what gets the events, or a list of two, got nothing. Add the field',
  ],
  [
    'an empty list',
    { events: { to: [] } },
    'events.to: expected the ARN of what gets the events, or a list of two, got []',
  ],
  ['the URL of a queue', { events: { to: 'https://sqs' } }, 'events.to: expected the ARN of a bus, queue,'],
  [
    'a FIFO topic',
    { events: { to: `${topic}.fifo` } },
    'Pipes do not deliver to FIFO topics. Take a FIFO queue, or a topic that is none.',
  ],
  [
    'a rule of a bus',
    { events: { to: `arn:aws:events:${REGION}:rule/orders` } },
    'Give the bus, not a rule of it.',
  ],
  ['an execution', { events: { to: `arn:aws:states:${REGION}:execution:a:b` } }, 'Give the state machine.'],
  [
    'another table',
    { events: { to: `arn:aws:dynamodb:${REGION}:table/b` } },
    'Let a bus, a queue or a function pass them on.',
  ],
  ['a bucket', { events: { to: 'arn:aws:s3:::bucket' } }, 'Let a bus, a queue or a function pass them on.'],
  ['the second of a list', { events: { to: [bus, 'no'] } }, 'events.to[1]: expected the ARN of'],
  [
    'an ARN of another kind than `as`',
    { events: { to: queue, as: 'stream' } },
    `events.to: expected the ARN of stream, in the region of the table, got "${queue}". Leave out as: it is a queue.`,
  ],
  [
    'a reference without `as`',
    { events: { to: REFERENCE } },
    `events.as: expected one of 'bus', 'queue', 'fifoQueue', 'topic', 'stream', 'firehose', 'function', 'stateMachine', got nothing. Add it: the ARN ${REFERENCE} is known to Terraform only.`,
  ],
  ['a misspelt field', { events: { to: queue, image: true } as never }, 'events.image: '],
  [
    'three pipes',
    { events: { to: [bus, queue, stream] } },
    'events: expected at most 2 pipes, with the archive: more readers of a stream are throttled, got "3"',
  ],
  [
    'an archive and two pipes',
    { archive: true, events: { to: [bus, queue] } },
    'Send the events to a bus or a topic, and let that pass them on.',
  ],
  [
    'an archive of another kind',
    { archive: 'bucket' as never },
    'archive: expected true, false, or { bucket: … } or { lockDays: … }, got "bucket"',
  ],
  [
    'a bucket in capitals',
    { archive: { bucket: 'My-Own' } },
    'archive.bucket: expected the name of a bucket',
  ],
  [
    'a lock of a bucket of yours',
    { archive: { bucket: 'own', lockDays: 1 } },
    'archive.lockDays: expected none with bucket, got 1. Leave it out',
  ],
  [
    'a lock of half a day',
    { archive: { lockDays: 0.5 } },
    'archive.lockDays: expected a whole number of days from 0 to 36500',
  ],
  ['a field of an earlier version', { archive: { prefix: 'a/' } as never }, 'archive.prefix: '],
])('refuses %s', (_what, props, message) => {
  const problems = propProblems({ ...SESSION_DATA, ...props });
  expect(problems.map(problem => describeProblem(problem))).toEqual([expect.stringContaining(message)]);
});

test.each([
  ...['a..b', '192.168.0.1', 'xn--own', 'sthree-own', 'amzn-s3-demo-own'],
  ...['own-s3alias', 'own--ol-s3', 'own.mrap', 'own--usw2-az1--x-s3', 'own--table-s3'],
])('refuses the bucket %s', bucket => {
  expect(propProblems({ ...SESSION_DATA, archive: { bucket } })).toMatchObject([{ field: 'archive.bucket' }]);
});
