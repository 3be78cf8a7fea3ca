import { Fn } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../props.ts';
import { isReference } from '../references.ts';
import type { EventsProp } from '../stream-props.ts';
import type { Place, Statement } from './role.ts';
import { StreamReader } from './stream-reader.ts';

/** A call of some seconds when each event is a call of its own. */
const BATCH_SIZE = 100;

export interface EventsProps {
  readonly place: Place;
  readonly streamArn: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly events: EventsProp;
  readonly sweep: ResolvedProps;
}

/** The function that makes an event of each expiry. */
export class Events extends Construct {
  readonly reader: StreamReader;

  constructor(scope: Construct, id: string, { place, streamArn, environment, events, sweep }: EventsProps) {
    super(scope, id);
    const { variable, statement } = targetOf(events, place);
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'PublishExpiries',
      streamArn,
      environment: { ...environment, ...variable, EVENTS_OLD_IMAGE: String(events.oldImage ?? false) },
      statements: [statement],
      batchSize: BATCH_SIZE,
      // An event is due at its expiry.
      batchSeconds: 0,
      sweep,
    });
    this.node.defaultChild = this.reader.mapping;
  }
}

interface Target {
  readonly variable: Readonly<Record<string, string>>;
  readonly statement: Statement;
}

function targetOf({ eventBus, queueArn, functionArn }: EventsProp, place: Place): Target {
  if (eventBus !== undefined) {
    const isArn = isReference(eventBus as unknown) || eventBus.startsWith('arn:');
    return {
      variable: { EVENTS_BUS: eventBus },
      statement: {
        actions: ['events:PutEvents'],
        resources: [isArn ? eventBus : place.arn('events', `event-bus/${eventBus}`)],
      },
    };
  }
  if (queueArn !== undefined) {
    return {
      variable: { EVENTS_QUEUE_URL: queueUrlOf(queueArn, place) },
      statement: { actions: ['sqs:SendMessage'], resources: [queueArn] },
    };
  }
  const arn = functionArn ?? '';
  return {
    variable: { EVENTS_FUNCTION: arn },
    statement: { actions: ['lambda:InvokeFunction'], resources: [arn] },
  };
}

/** A queue is called by its URL. Source: SQS Developer Guide, "Amazon SQS queue and message identifiers". */
function queueUrlOf(arn: string, place: Place): string {
  const known = isReference(arn as unknown) ? undefined : arn.split(':');
  const part = (index: number) => known?.[index] ?? Fn.element(Fn.split(':', arn), index);
  return `https://sqs.${part(3)}.${place.dnsSuffix}/${part(4)}/${part(5)}`;
}
