import { Fn, TerraformResource } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import { isReference } from '../../config/references.ts';
import type { EventsProp } from '../../config/stream-props.ts';
import { given, isOpen, merged, NONE, pieceOf, present, when, withoutNone } from '../../config/values.ts';
import {
  DESTINATION_NAMES,
  DESTINATIONS,
  type DestinationName,
} from '../../functions/publish-expiries/destinations.ts';
import { toEventsEnvironment } from '../../functions/publish-expiries/settings.ts';
import { journalEnvironment } from './journal.ts';
import type { Place } from './place.ts';
import { queueKeyStatements } from './queue-key.ts';
import type { Statement } from './role-policies.ts';
import { StreamReader } from './stream-reader.ts';
import { TIMEOUT_SECONDS } from './sweep-function.ts';

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
    // The check of the prop has seen that there is one. In a module any of them may be the one.
    const destinations = DESTINATION_NAMES.flatMap(name => {
      const to = events[name];
      return to === undefined ? [] : [{ name, to }];
    });
    // Not escaped: no field can have anything to escape, and each can be a reference.
    const since = new TerraformResource(this, 'since', {
      terraformResourceType: 'terraform_data',
      lifecycle: { ignoreChanges: ['input'] },
    });
    const settings = {
      ...Object.fromEntries(
        destinations.map(({ name, to }) => [DESTINATIONS[name].setting, DEPLOYED[name].setting(to, place)]),
      ),
      eventsOldImage: events.oldImage ?? false,
      eventsSince: when(events.includePast ?? false, NONE, since.getStringAttribute('output')),
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'PublishExpiries',
      book: 'published',
      streamArn,
      environment: merged(
        environment,
        withoutNone({
          ...toEventsEnvironment(settings, value => value),
          ...journalEnvironment(sweep.sweep),
        }),
      ),
      statements: destinations.flatMap(({ name, to }) => DEPLOYED[name].statements(to, place, sweep)),
      batchSize: BATCH_SIZE,
      // An event is due at its expiry.
      batchSeconds: 0,
      timeoutSeconds: destinations.reduce((seconds, { name, to }) => {
        const own = DEPLOYED[name].timeoutSeconds;
        return own === undefined ? seconds : when(given(to), own, seconds);
      }, TIMEOUT_SECONDS.PublishExpiries),
      sweep,
    });
    // When the events were turned on: it is made and removed with them, and stays when the role is made anew by another name.
    // For a role that is made elsewhere, which may be old, it is the moment of the apply.
    since.addOverride('input', this.reader.function.role.role?.createDate ?? Fn.timestamp());
    this.node.defaultChild = this.reader.mapping;
  }
}

/** The resources for a destination; an open one may be none. */
interface Deployed {
  /** The value of the function's setting. */
  readonly setting: (to: string, place: Place) => string;
  readonly statements: (to: string, place: Place, sweep: ResolvedProps) => readonly Statement[];
  /** @default that of all functions */
  readonly timeoutSeconds?: number;
}

const DEPLOYED: Readonly<Record<DestinationName, Deployed>> = {
  eventBus: {
    setting: to => to,
    statements(to, place) {
      // A reference is an ARN, and so is what a module is given.
      const isArn = isOpen(to) || isReference(to as unknown) || to.startsWith('arn:');
      const buses = isArn ? present(to) : [place.arn('events', `event-bus/${to}`)];
      return [{ actions: ['events:PutEvents'], resources: buses }];
    },
  },
  queueArn: {
    setting: (to, place) => when(given(to), queueUrlOf(to, place), NONE),
    statements: (to, _place, sweep) => [
      { actions: ['sqs:SendMessage'], resources: present(to) },
      ...queueKeyStatements(sweep, to).map(each => ({
        ...each,
        resources: when(given(to), each.resources, []),
      })),
    ],
  },
  functionArn: {
    setting: to => to,
    statements: to => [{ actions: ['lambda:InvokeFunction'], resources: present(to) }],
    timeoutSeconds: CONSUMER_TIMEOUT_SECONDS,
  },
  streamArn: {
    setting: to => to,
    statements: (to, _place, { kmsKeyArn }) => [
      { actions: ['kinesis:PutRecords'], resources: present(to) },
      // Source: Kinesis Data Streams Developer Guide, "Permissions to use user-generated KMS keys".
      {
        actions: ['kms:GenerateDataKey'],
        resources: when(given(to), present(kmsKeyArn), []),
        condition: { StringEquals: { 'kms:EncryptionContext:aws:kinesis:arn': to } },
      },
    ],
  },
};

/** A queue is called by its URL. Source: SQS Developer Guide, "Amazon SQS queue and message identifiers". */
function queueUrlOf(arn: string, place: Place): string {
  const part = (index: number) =>
    isReference(arn as unknown) ? Fn.element(Fn.split(':', arn), index) : pieceOf(arn, ':', index);
  return `https://sqs.${part(3)}.${place.dnsSuffix}/${part(4)}/${part(5)}`;
}
