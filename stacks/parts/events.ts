import { Fn, TerraformResource } from 'cdktf';
import { Construct } from 'constructs';
import { type EventsSettings, toEventsEnvironment } from '../../functions/publish-expiries/settings.ts';
import type { ResolvedProps } from '../props.ts';
import { isReference } from '../references.ts';
import type { EventsProp } from '../stream-props.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { StreamReader } from './stream-reader.ts';

/** A call of some seconds when each event is a call of its own. */
const BATCH_SIZE = 100;

/** A function is waited for, and has up to 15 minutes. Source: Lambda quotas. */
const CONSUMER_TIMEOUT_SECONDS = 900;

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
    const { place: destination, statement } = destinationOf(events, place);
    // Not escaped: no field can have anything to escape, and each can be a reference.
    const since = new TerraformResource(this, 'since', {
      terraformResourceType: 'terraform_data',
      lifecycle: { ignoreChanges: ['input'] },
    });
    const settings = {
      ...destination,
      eventsOldImage: events.oldImage ?? false,
      ...(!events.includePast && { eventsSince: since.getStringAttribute('output') }),
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'PublishExpiries',
      streamArn,
      environment: { ...environment, ...toEventsEnvironment(settings, value => value) },
      statements: [statement],
      batchSize: BATCH_SIZE,
      // An event is due at its expiry.
      batchSeconds: 0,
      ...(events.functionArn !== undefined && { timeoutSeconds: CONSUMER_TIMEOUT_SECONDS }),
      sweep,
    });
    // When the events were turned on: it is made and removed with them, and stays when the role is made anew by another name.
    // Of a role that is made elsewhere, which may be old, it is the moment of the apply.
    since.addOverride('input', this.reader.function.role.role?.createDate ?? Fn.timestamp());
    this.node.defaultChild = this.reader.mapping;
  }
}

interface Destination {
  readonly place: Omit<EventsSettings, 'eventsOldImage' | 'eventsSince'>;
  readonly statement: Statement;
}

function destinationOf({ eventBus, queueArn, functionArn = '' }: EventsProp, place: Place): Destination {
  if (eventBus !== undefined) {
    // A reference is an ARN.
    const isArn = isReference(eventBus as unknown) || eventBus.startsWith('arn:');
    const busArn = isArn ? eventBus : place.arn('events', `event-bus/${eventBus}`);
    return {
      place: { eventsBus: eventBus },
      statement: { actions: ['events:PutEvents'], resources: [busArn] },
    };
  }
  if (queueArn !== undefined) {
    return {
      place: { eventsQueueUrl: queueUrlOf(queueArn, place) },
      statement: { actions: ['sqs:SendMessage'], resources: [queueArn] },
    };
  }
  return {
    place: { eventsFunction: functionArn },
    statement: { actions: ['lambda:InvokeFunction'], resources: [functionArn] },
  };
}

/** A queue is called by its URL. Source: SQS Developer Guide, "Amazon SQS queue and message identifiers". */
function queueUrlOf(arn: string, place: Place): string {
  const known = isReference(arn as unknown) ? undefined : arn.split(':');
  const part = (index: number) => known?.[index] ?? Fn.element(Fn.split(':', arn), index);
  return `https://sqs.${part(3)}.${place.dnsSuffix}/${part(4)}/${part(5)}`;
}
