import { Fn, TerraformResource } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import type { EventsProp } from '../../config/stream-props.ts';
import { isReference } from '../../config/terraform-text.ts';
import {
  DESTINATION_NAMES,
  DESTINATIONS,
  type DestinationName,
} from '../../functions/publish-expiries/destinations.ts';
import { toEventsEnvironment } from '../../functions/publish-expiries/settings.ts';
import { queueKeyStatements } from './access-statements.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';
import { StreamReader } from './stream-reader.ts';

/** Records of a batch, which take a few seconds if each event needs a call of its own. */
const BATCH_SIZE = 100;

/** Timeout if events go to a function: it is called synchronously, and may take up to 15 minutes. Source: Lambda quotas. */
const CONSUMER_TIMEOUT_SECONDS = 900;

export interface EventsProps {
  readonly place: Place;
  readonly streamArn: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly events: EventsProp;
  readonly sweep: ResolvedProps;
}

/** The function that publishes an event for each expiry. */
export class Events extends Construct {
  readonly reader: StreamReader;

  constructor(scope: Construct, id: string, { place, streamArn, environment, events, sweep }: EventsProps) {
    super(scope, id);
    // The check of the prop ensures that exactly one destination is set.
    const name = DESTINATION_NAMES.find(each => events[each] !== undefined) as DestinationName;
    const to = events[name] as string;
    const destination = DEPLOYED[name];
    // Not escaped: no field has characters to escape, and each can be a reference.
    const since = new TerraformResource(this, 'since', {
      terraformResourceType: 'terraform_data',
      lifecycle: { ignoreChanges: ['input'] },
    });
    const settings = {
      [DESTINATIONS[name].setting]: destination.setting(to, place),
      eventsOldImage: events.oldImage ?? false,
      ...(events.includePast !== true && { eventsSince: since.getStringAttribute('output') }),
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'PublishExpiries',
      streamArn,
      environment: { ...environment, ...toEventsEnvironment(settings, value => value) },
      statements: destination.statements(to, place, sweep),
      batchSize: BATCH_SIZE,
      // Events are sent at once: records are not collected.
      batchSeconds: 0,
      ...(destination.timeoutSeconds !== undefined && { timeoutSeconds: destination.timeoutSeconds }),
      sweep,
    });
    // The time at which the events were turned on. The resource is created and removed with the events, and stays when the role is
    // replaced under another name.
    since.addOverride('input', this.reader.function.role.role.createDate);
    this.node.defaultChild = this.reader.mapping;
  }
}

/** The resources and settings for a destination. */
interface Deployed {
  /** Makes the value of the function's setting. */
  readonly setting: (to: string, place: Place) => string;
  readonly statements: (to: string, place: Place, sweep: ResolvedProps) => readonly Statement[];
  /** Timeout of the function. @default that of all functions */
  readonly timeoutSeconds?: number;
}

const DEPLOYED: Readonly<Record<DestinationName, Deployed>> = {
  eventBus: {
    setting: to => to,
    statements(to, place) {
      // A reference is an ARN.
      const isArn = isReference(to as unknown) || to.startsWith('arn:');
      const bus = isArn ? to : place.arn('events', `event-bus/${to}`);
      return [{ actions: ['events:PutEvents'], resources: [bus] }];
    },
  },
  queueArn: {
    setting: queueUrlOf,
    statements: (to, _place, sweep) => [
      { actions: ['sqs:SendMessage'], resources: [to] },
      ...queueKeyStatements(sweep, to),
    ],
  },
  functionArn: {
    setting: to => to,
    statements: to => [{ actions: ['lambda:InvokeFunction'], resources: [to] }],
    timeoutSeconds: CONSUMER_TIMEOUT_SECONDS,
  },
  streamArn: {
    setting: to => to,
    statements: (to, _place, { kmsKeyArn }) => [
      { actions: ['kinesis:PutRecords'], resources: [to] },
      // Source: Kinesis Data Streams Developer Guide, "Permissions to use user-generated KMS keys".
      {
        actions: ['kms:GenerateDataKey'],
        resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
        condition: { StringEquals: { 'kms:EncryptionContext:aws:kinesis:arn': to } },
      },
    ],
  },
};

/** The URL by which a queue is called. Source: SQS Developer Guide, "Amazon SQS queue and message identifiers". */
function queueUrlOf(arn: string, place: Place): string {
  const part = (index: number) =>
    isReference(arn as unknown) ? Fn.element(Fn.split(':', arn), index) : (arn.split(':')[index] ?? '');
  return `https://sqs.${part(3)}.${place.dnsSuffix}/${part(4)}/${part(5)}`;
}
