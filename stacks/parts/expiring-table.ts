import { DataAwsDynamodbTable } from '@cdktf/provider-aws/lib/data-aws-dynamodb-table/index.js';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { modelOf } from '../../config/model-of.ts';
import { type ResolvedProps, readsStream, refusesNativeTtl } from '../../config/props.ts';
import { escaped } from '../../config/terraform-text.ts';
import { Guard, type GuardedResource } from './guard.ts';
import type { Place } from './place.ts';
import { tableConditions } from './table-conditions.ts';
import { tagged } from './tagged.ts';

/** A table that another part of the stack makes, or knows: its name and its ARN, which can be tokens. */
export interface TableReference {
  readonly name: string;
  readonly arn: string;
  /** ARN of its stream, which has old images. `archive` and `events` need it. */
  readonly streamArn?: string;
}

export interface ExpiringTableProps {
  readonly place: Place;
  readonly props: ResolvedProps;
  /** The given table, also an existing one, which is not looked up then. @default it is created, or looked up by its name */
  readonly given?: TableReference | undefined;
}

/**
 * The table whose items expire, with the sparse index of expiry windows or seconds. Created, and then never deleted or replaced; or
 * looked up by name when it is there already, and checked before anything is deployed that needs it; or given, and then
 * whoever gives it answers for its keys, its index and its TTL.
 */
export class ExpiringTable extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;
  /** Undefined of a table that was given without. */
  readonly streamArn: string | undefined;

  /** The resource, or the data source of a table that is there already, or what was given. */
  readonly table: DynamodbTable | DataAwsDynamodbTable | TableReference;

  constructor(scope: Construct, id: string, { place, props, given }: ExpiringTableProps) {
    super(scope, id);
    this.table = given ?? (props.existingTable ? existing(this, props) : created(this, props));
    // The guard remembers a table by its name, whether it is looked at or not.
    if (given !== undefined && props.existingTable) {
      Guard.of(this).release(props.tableName, guarded(new Construct(this, 'table'), props));
    }
    this.node.defaultChild = this.node.tryFindChild('table');
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    this.streamArn = this.table.streamArn;
    this.indexArn = `${this.tableArn}/index/${props.indexName}`;
    place.knowTable(this.tableArn, props.tableName);
  }
}

/**
 * Attributes of a created table that others may change: further indexes, streams, replicas in other regions. Terraform would remove them
 * with the next deployment, a replica with its data. Our own index cannot change: see Guard.
 */
const LEFT_ALONE = ['attribute', 'global_secondary_index', 'replica', 'stream_enabled', 'stream_view_type'];

/** The view that the created table's stream has; undefined when nothing asks for one. */
function streamOf(props: ResolvedProps): ResolvedProps['stream'] {
  return props.stream ?? (readsStream(props) ? 'NEW_AND_OLD_IMAGES' : undefined);
}

/** The attributes of this table that a deployment does not change, once it is there. */
function leftAlone(props: ResolvedProps): string[] {
  const { provisionedCapacity, warmThroughput } = props;
  const stream = streamOf(props);
  const managed = [
    ...(stream === undefined ? [] : ['stream_enabled', 'stream_view_type']),
    // The provider knows no other place for an index's capacity. With the attributes still left alone, it refuses a plan that
    // would take away an index with an attribute of its own.
    ...(provisionedCapacity === undefined ? [] : ['global_secondary_index']),
  ];
  return [
    ...LEFT_ALONE.filter(attribute => !managed.includes(attribute)),
    // DynamoDB raises it by itself and never lowers it. Then the configuration would ask for less than there is, for which the
    // provider wants another table.
    ...(warmThroughput === undefined ? [] : ['warm_throughput']),
  ];
}

function created(scope: Construct, props: ResolvedProps): DynamodbTable {
  const { tableName, partitionKeyType, sortKeyType, indexName } = props;
  const { provisionedCapacity: capacity, tableKmsKeyArn } = props;
  const stream = streamOf(props);
  const { partitionKey, sortKey, windowAttribute, ttlAttribute } = attributesOf(props);
  const warmThroughput = warmThroughputOf(props);
  const indexKeys =
    windowAttribute === undefined
      ? { hashKey: ttlAttribute }
      : { hashKey: windowAttribute, rangeKey: ttlAttribute };
  const table = new DynamodbTable(scope, 'table', {
    name: tableName,
    ...(capacity === undefined
      ? { billingMode: 'PAY_PER_REQUEST' }
      : { billingMode: 'PROVISIONED', readCapacity: capacity.read, writeCapacity: capacity.write }),
    tableClass: props.tableClass,
    deletionProtectionEnabled: props.deletionProtection,
    hashKey: partitionKey,
    ...(sortKey === undefined ? {} : { rangeKey: sortKey }),
    attribute: [
      { name: partitionKey, type: partitionKeyType },
      ...(sortKey === undefined ? [] : [{ name: sortKey, type: sortKeyType }]),
      ...(windowAttribute === undefined ? [] : [{ name: windowAttribute, type: 'S' }]),
      { name: ttlAttribute, type: 'N' },
    ],
    globalSecondaryIndex: [
      {
        name: indexName,
        ...indexKeys,
        projectionType: 'KEYS_ONLY',
        ...(capacity !== undefined && {
          readCapacity: capacity.indexRead ?? capacity.read,
          writeCapacity: capacity.indexWrite ?? capacity.write,
        }),
        // Each write to the table is one to the index, too.
        ...warmThroughput,
      },
    ],
    ...warmThroughput,
    ...(stream !== undefined && { streamEnabled: true, streamViewType: stream }),
    ...(tableKmsKeyArn !== undefined && {
      serverSideEncryption: { enabled: true, kmsKeyArn: tableKmsKeyArn },
    }),
    // The backstop: what no sweep ever reaches (a wrong window, a long pause) goes within days. Off, it has its attribute too: DynamoDB
    // takes no call without one that turns it off, and the provider sees no difference in an attribute that DynamoDB does not tell.
    ttl: { attributeName: ttlAttribute, enabled: !refusesNativeTtl(props) },
    pointInTimeRecovery: { enabled: props.pointInTimeRecovery },
    ...tagged(props),
    lifecycle: { preventDestroy: true, ignoreChanges: leftAlone(props) },
  });
  Guard.of(scope).keep(tableName, guarded(table, props));
  return table;
}

function warmThroughputOf({ warmThroughput: warm }: ResolvedProps) {
  return (
    warm !== undefined && {
      warmThroughput: { readUnitsPerSecond: warm.read, writeUnitsPerSecond: warm.write },
    }
  );
}

function existing(scope: Construct, props: ResolvedProps): DataAwsDynamodbTable {
  const table = new DataAwsDynamodbTable(scope, 'table', { name: props.tableName });
  table.addOverride('lifecycle', { postcondition: tableConditions(props) });
  Guard.of(scope).release(props.tableName, guarded(table, props));
  return table;
}

/** The names of the attributes, as Terraform takes them literally. */
function attributesOf(props: ResolvedProps) {
  const { partitionKey, sortKey, ttlAttribute, windowAttribute } = modelOf(props);
  return {
    partitionKey: escaped(partitionKey),
    sortKey: sortKey === undefined ? undefined : escaped(sortKey),
    ttlAttribute: escaped(ttlAttribute),
    windowAttribute: windowAttribute === undefined ? undefined : escaped(windowAttribute),
  };
}

/**
 * The guard's entry for a table. A created table and an existing one have the same path, and so the same address.
 * @param table the construct of the table, or one that stands where it stood
 */
export function guarded(table: Construct, props: ResolvedProps): GuardedResource {
  const { partitionKeyType, sortKeyType, indexName } = props;
  const { partitionKey, sortKey, ttlAttribute, windowAttribute } = attributesOf(props);
  return {
    address: `aws_dynamodb_table.${TerraformStack.of(table).getLogicalId(table.node)}`,
    lasting: {
      partitionKey: `${partitionKey} (${partitionKeyType})`,
      ...(sortKey === undefined ? {} : { sortKey: `${sortKey} (${sortKeyType})` }),
      ttlAttribute,
      // By second there is none, which makes another index of it.
      ...(windowAttribute === undefined ? {} : { windowAttribute }),
      indexName,
    },
  };
}
