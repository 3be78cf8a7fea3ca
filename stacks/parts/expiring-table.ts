import { DataAwsDynamodbTable } from '@cdktf/provider-aws/lib/data-aws-dynamodb-table/index.js';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { modelOf } from '../../config/deployments.ts';
import { type ResolvedProps, readsStream } from '../../config/props.ts';
import { escaped } from '../../config/terraform-text.ts';
import { Guard, type GuardedResource } from './guard.ts';
import type { Place } from './place.ts';
import { tableConditions } from './table-conditions.ts';
import { tagged } from './tagged.ts';

/** A table that another part of the stack makes or knows: its name and its ARN, which can be tokens. */
export interface TableReference {
  readonly name: string;
  readonly arn: string;
  /** ARN of its stream, which must have old images. Required for `archive` and `events`. */
  readonly streamArn?: string;
}

export interface ExpiringTableProps {
  readonly place: Place;
  readonly props: ResolvedProps;
  /**
   * A table that is passed in, possibly an existing one, which is not looked up then. @default the table is created, or looked up by its
   * name
   */
  readonly given?: TableReference | undefined;
}

/**
 * The table whose items expire, with the sparse index of expiry windows or seconds. It is created, and then never deleted or replaced; or
 * an existing table is looked up by name, and checked before its sweep is deployed; or it is passed in, and then the caller is responsible
 * for its keys, its index and its TTL.
 */
export class ExpiringTable extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;
  /** Undefined for a table that was passed in without a stream. */
  readonly streamArn: string | undefined;

  /** The created resource, the data source of an existing table, or the table that was passed in. */
  readonly table: DynamodbTable | DataAwsDynamodbTable | TableReference;

  constructor(scope: Construct, id: string, { place, props, given }: ExpiringTableProps) {
    super(scope, id);
    this.table = given ?? (props.existingTable ? existing(this, props) : created(this, props));
    this.node.defaultChild = this.node.tryFindChild('table');
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    this.streamArn = this.table.streamArn;
    this.indexArn = `${this.tableArn}/index/${props.indexName}`;
    place.knowTable(this.tableArn, props.tableName);
  }
}

/**
 * Attributes of a created table that others may change: further indexes, streams, replicas in other regions. The next deployment would
 * remove them otherwise, a replica with its data. Our own index cannot change: see Guard.
 */
const LEFT_ALONE = ['attribute', 'global_secondary_index', 'replica'];

/** The attributes of a stream, which are left alone if nothing here reads it. */
const STREAM = ['stream_enabled', 'stream_view_type'];

function created(scope: Construct, props: ResolvedProps): DynamodbTable {
  const { tableName, partitionKeyType, sortKeyType, indexName } = props;
  const { tableKmsKeyArn } = props;
  const hasStream = readsStream(props);
  const { partitionKey, sortKey, windowAttribute, ttlAttribute } = attributesOf(props);
  const indexKeys =
    windowAttribute === undefined
      ? { hashKey: ttlAttribute }
      : { hashKey: windowAttribute, rangeKey: ttlAttribute };
  const table = new DynamodbTable(scope, 'table', {
    name: tableName,
    billingMode: 'PAY_PER_REQUEST',
    // Written, so that it is set back when an override is taken out.
    tableClass: 'STANDARD',
    deletionProtectionEnabled: true,
    hashKey: partitionKey,
    ...(sortKey === undefined ? {} : { rangeKey: sortKey }),
    attribute: [
      { name: partitionKey, type: partitionKeyType },
      ...(sortKey === undefined ? [] : [{ name: sortKey, type: sortKeyType }]),
      ...(windowAttribute === undefined ? [] : [{ name: windowAttribute, type: 'S' }]),
      { name: ttlAttribute, type: 'N' },
    ],
    globalSecondaryIndex: [{ name: indexName, ...indexKeys, projectionType: 'KEYS_ONLY' }],
    ...(hasStream && { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' }),
    ...(tableKmsKeyArn !== undefined && {
      serverSideEncryption: { enabled: true, kmsKeyArn: tableKmsKeyArn },
    }),
    // The backstop: native TTL deletes within days what no sweep finds (a wrong window, a long pause).
    ttl: { attributeName: ttlAttribute, enabled: true },
    pointInTimeRecovery: { enabled: true },
    ...tagged(props),
    lifecycle: { preventDestroy: true, ignoreChanges: [...LEFT_ALONE, ...(hasStream ? [] : STREAM)] },
  });
  Guard.of(scope).keep(tableName, guarded(table, props));
  return table;
}

function existing(scope: Construct, props: ResolvedProps): DataAwsDynamodbTable {
  const table = new DataAwsDynamodbTable(scope, 'table', { name: props.tableName });
  table.addOverride('lifecycle', { postcondition: tableConditions(props) });
  Guard.of(scope).release(props.tableName, guarded(table, props));
  return table;
}

/** The names of the attributes, escaped so that Terraform takes them literally. */
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
 * The guard's entry for a table. A created and an existing table have the same path, and so the same address.
 * @param table the construct of the table, or another construct at the same path
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
      // By second there is no window attribute, so the index is a different one.
      ...(windowAttribute === undefined ? {} : { windowAttribute }),
      indexName,
    },
  };
}
