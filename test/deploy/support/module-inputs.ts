import { type PreciseTtlProps, resolveProps } from '../../../config/props.ts';
import type { DestinationName, EventsProp } from '../../../config/stream-props.ts';
import type { ConstructProps, SweptTableProps, TablesProps } from '../../../stacks/construct-props.ts';
import { DESTINATION_FIELDS } from '../../../stacks/terraform-module/events-part.ts';
import { snake } from '../../../stacks/terraform-module/snake.ts';

/** Values of the module's variables, by name. */
export type Inputs = Readonly<Record<string, unknown>>;

function snakes(values: object): Inputs {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [snake(name), value]));
}

/** What the module is given for the same deployment as the construct. */
export function inputsOf(props: Extract<ConstructProps, TablesProps>): Inputs {
  const { tables, alarms, alarmTopicArn, vpc, ...shared } = props;
  return {
    ...snakes(shared),
    ...(vpc && { vpc: snakes(vpc) }),
    ...(alarmTopicArn !== undefined && { alarm_topic: { arn: alarmTopicArn } }),
    ...(alarms === false ? { create_alarms: false } : alarms && { alarms: alarmInputs(alarms) }),
    tables: Object.fromEntries(
      tables.map((table, index) => [`t${index}`, tableInput(table as SweptTableProps)]),
    ),
  };
}

function alarmInputs(alarms: object): Inputs {
  return snakes(
    Object.fromEntries(
      Object.entries(alarms).map(([name, tuning]) => [name, tuning === false ? { enabled: false } : tuning]),
    ),
  );
}

/** A table as its resource would be. */
function tableInput(props: SweptTableProps): Inputs {
  const { table, partitionKey: _pk, sortKey: _sk, index, hold, archive, events, ...settings } = props;
  const resolved = resolveProps({ ...props, tableName: table.name } as PreciseTtlProps);
  const { indexName, indexedBy, ttlAttribute, windowAttribute, holdAttribute, graceSeconds } = resolved;
  const { partitionKey, sortKey, releasesHoldsOf } = resolved;
  const isOff = holdAttribute !== undefined || graceSeconds > 0;
  return {
    ...snakes(settings),
    ...(archive && { archive: { ...snakes(archive), bucket: { id: archive.bucket ?? 'the-archive' } } }),
    ...(events && { events: eventsInput(events) }),
    ...(index && { index: snakes(index) }),
    ...(hold !== undefined && {
      hold: {
        ...(holdAttribute !== undefined && { attribute: holdAttribute }),
        ...(releasesHoldsOf !== undefined && { releases: [releasesHoldsOf] }),
      },
    }),
    table: {
      name: table.name,
      arn: table.arn,
      hash_key: partitionKey,
      range_key: sortKey ?? '',
      global_secondary_index: [
        {
          name: indexName,
          hash_key: indexedBy === 'second' ? ttlAttribute : windowAttribute,
          range_key: indexedBy === 'second' ? '' : ttlAttribute,
          projection_type: 'KEYS_ONLY',
        },
      ],
      ttl: isOff ? [] : [{ attribute_name: ttlAttribute, enabled: true }],
      ...(table.streamArn !== undefined && {
        stream_arn: table.streamArn,
        stream_enabled: true,
        stream_view_type: 'NEW_AND_OLD_IMAGES',
      }),
    },
  };
}

/** Destinations as resources. */
function eventsInput(events: EventsProp): Inputs {
  return Object.fromEntries(
    Object.entries(events).map(([name, value]) => {
      const field = DESTINATION_FIELDS[name as DestinationName];
      return field === undefined ? [snake(name), value] : [field, { arn: value }];
    }),
  );
}
