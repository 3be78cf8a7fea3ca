import { Fn, TerraformResource } from 'cdktf';
import { Construct } from 'constructs';
import {
  DESTINATIONS,
  type DestinationName,
  destinationIn,
} from '../../functions/publish-expiries/destinations.ts';
import { toEventsEnvironment } from '../../functions/publish-expiries/settings.ts';
import type { ResolvedProps } from '../props.ts';
import { isReference } from '../references.ts';
import type { EventsProp } from '../stream-props.ts';
import { present } from '../values.ts';
import type { Place } from './place.ts';
import { queueKeyStatements } from './queue-key.ts';
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
    // The check of the prop has seen that there is one.
    const destination = destinationIn(events) ?? 'functionArn';
    const { setting, statements, timeoutSeconds } = DEPLOYED[destination](
      events[destination] ?? '',
      place,
      sweep,
    );
    // Not escaped: no field can have anything to escape, and each can be a reference.
    const since = new TerraformResource(this, 'since', {
      terraformResourceType: 'terraform_data',
      lifecycle: { ignoreChanges: ['input'] },
    });
    const settings = {
      [DESTINATIONS[destination].setting]: setting,
      eventsOldImage: events.oldImage ?? false,
      ...(!events.includePast && { eventsSince: since.getStringAttribute('output') }),
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'PublishExpiries',
      streamArn,
      environment: { ...environment, ...toEventsEnvironment(settings, value => value) },
      statements,
      batchSize: BATCH_SIZE,
      // An event is due at its expiry.
      batchSeconds: 0,
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      sweep,
    });
    // When the events were turned on: it is made and removed with them, and stays when the role is made anew by another name.
    // Of a role that is made elsewhere, which may be old, it is the moment of the apply.
    since.addOverride('input', this.reader.function.role.role?.createDate ?? Fn.timestamp());
    this.node.defaultChild = this.reader.mapping;
  }
}

interface Deployed {
  /** What the function's setting is. */
  readonly setting: string;
  readonly statements: readonly Statement[];
  /** @default that of all functions */
  readonly timeoutSeconds?: number;
}

const DEPLOYED: Readonly<
  Record<DestinationName, (given: string, place: Place, sweep: ResolvedProps) => Deployed>
> = {
  eventBus(given, place) {
    // A reference is an ARN.
    const isArn = isReference(given as unknown) || given.startsWith('arn:');
    const busArn = isArn ? given : place.arn('events', `event-bus/${given}`);
    return { setting: given, statements: [{ actions: ['events:PutEvents'], resources: [busArn] }] };
  },
  queueArn: (given, place, sweep) => ({
    setting: queueUrlOf(given, place),
    statements: [{ actions: ['sqs:SendMessage'], resources: [given] }, ...queueKeyStatements(sweep, given)],
  }),
  functionArn: given => ({
    setting: given,
    statements: [{ actions: ['lambda:InvokeFunction'], resources: [given] }],
    timeoutSeconds: CONSUMER_TIMEOUT_SECONDS,
  }),
  streamArn: (given, _place, { kmsKeyArn }) => ({
    setting: given,
    statements: [
      { actions: ['kinesis:PutRecords'], resources: [given] },
      // Source: Kinesis Data Streams Developer Guide, "Permissions to use user-generated KMS keys".
      {
        actions: ['kms:GenerateDataKey'],
        resources: present(kmsKeyArn),
        condition: { StringEquals: { 'kms:EncryptionContext:aws:kinesis:arn': given } },
      },
    ],
  }),
};

/** A queue is called by its URL. Source: SQS Developer Guide, "Amazon SQS queue and message identifiers". */
function queueUrlOf(arn: string, place: Place): string {
  const known = isReference(arn as unknown) ? undefined : arn.split(':');
  const part = (index: number) => known?.[index] ?? Fn.element(Fn.split(':', arn), index);
  return `https://sqs.${part(3)}.${place.dnsSuffix}/${part(4)}/${part(5)}`;
}
