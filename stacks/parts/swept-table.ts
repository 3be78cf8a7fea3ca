import { DataAwsDynamodbTable } from '@cdktf/provider-aws/lib/data-aws-dynamodb-table/index.js';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import type { ExpiryModelProps } from '../../expiry/model.ts';
import { carriedSettings, modelPropsOfSettings } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { modelOf } from '../config/deployments.ts';
import { functionSettings, type ResolvedProps, readsStream } from '../config/props.ts';
import { escaped } from '../config/terraform-text.ts';
import type { Place } from './place.ts';
import { indexCondition, tableConditions } from './table-conditions.ts';

export interface TableReference {
  readonly name: string;
  readonly arn: string;
  /** ARN of the table's stream. The stream must have old images. Required for `archive` and `events`. */
  readonly streamArn?: string;
}

/**
 * A table of a deployment, with its sparse index of expiry windows or seconds. The deployment makes the table, and never deletes or
 * replaces it; or looks up an existing table by name and checks it; or gets a table whose owner is responsible for keys, index and native
 * TTL. The addresses of the table's resources have not changed since the first version.
 */
export class SweptTable extends Construct {
  readonly props: ResolvedProps;
  /** The props with which writers and readers call `expiryModel`; as JSON they serve other languages too. */
  readonly expiryModel: ExpiryModelProps;
  readonly table: DynamodbTable | DataAwsDynamodbTable | TableReference;
  readonly isMade: boolean;
  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;
  readonly streamArn: string | undefined;

  constructor(scope: Construct, place: Place, props: ResolvedProps, given?: TableReference) {
    super(scope, 'table');
    this.props = props;
    this.expiryModel = modelPropsOfSettings(props);
    this.isMade = given === undefined && !props.existingTable;
    this.table = given ?? (props.existingTable ? lookedUp(this, props) : made(this, props));
    this.node.defaultChild = this.node.tryFindChild('table');
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    this.streamArn = this.table.streamArn;
    this.indexArn = `${this.tableArn}/index/${props.indexName}`;
    place.know(this.tableArn, props.tableName, 'table/');
  }

  /** Address of the resource that makes the table or, for an existing table, once made it. */
  get address(): string {
    const { node } = this.node.findChild('table');
    return `aws_dynamodb_table.${TerraformStack.of(this).getLogicalId(node)}`;
  }

  get keys(): string {
    const { partitionKey, partitionKeyType, sortKey, sortKeyType } = this.props;
    const ofSort = sortKey === undefined ? 'no sort key' : `sort key ${sortKey} (${sortKeyType})`;
    return escaped(`partition key ${partitionKey} (${partitionKeyType}), ${ofSort}`);
  }

  get settings(): CarriedSettings {
    return { ...carriedSettings(functionSettings(this.props), escaped), tableName: this.tableName };
  }
}

/**
 * Other programs may change these attributes of a table: further indexes, streams, replicas in other regions. Otherwise the next deployment
 * would remove such changes, and a replica with its data. A postcondition checks our own index.
 */
const LEFT_ALONE = ['attribute', 'global_secondary_index', 'replica'];

/** A stream's attributes are left alone if the deployment does not read the stream. */
const STREAM = ['stream_enabled', 'stream_view_type'];

function made(scope: Construct, props: ResolvedProps): DynamodbTable {
  const { tableName, partitionKeyType, sortKeyType, indexName, tableKmsKeyArn } = props;
  const hasStream = readsStream(props);
  const model = modelOf(props);
  const [partitionKey, ttlAttribute] = [escaped(model.partitionKey), escaped(model.ttlAttribute)];
  const [sortKey, windowAttribute] = [model.sortKey, model.windowAttribute].map(
    name => name && escaped(name),
  );
  const table = new DynamodbTable(scope, 'table', {
    name: tableName,
    billingMode: 'PAY_PER_REQUEST',
    // Without this argument, the class from a removed override would stay.
    tableClass: 'STANDARD',
    deletionProtectionEnabled: true,
    hashKey: partitionKey,
    ...(sortKey && { rangeKey: sortKey }),
    attribute: [
      { name: partitionKey, type: partitionKeyType },
      ...(sortKey ? [{ name: sortKey, type: sortKeyType }] : []),
      ...(windowAttribute ? [{ name: windowAttribute, type: 'S' }] : []),
      { name: ttlAttribute, type: 'N' },
    ],
    globalSecondaryIndex: [
      {
        name: indexName,
        projectionType: 'KEYS_ONLY',
        hashKey: windowAttribute ?? ttlAttribute,
        ...(windowAttribute && { rangeKey: ttlAttribute }),
      },
    ],
    ...(hasStream && { streamEnabled: true, streamViewType: 'NEW_AND_OLD_IMAGES' }),
    ...(tableKmsKeyArn !== undefined && {
      serverSideEncryption: { enabled: true, kmsKeyArn: tableKmsKeyArn },
    }),
    // Native TTL deletes within days what no sweep finds: items with a wrong window, or items of a long pause.
    ttl: { attributeName: ttlAttribute, enabled: true },
    pointInTimeRecovery: { enabled: true },
    lifecycle: { preventDestroy: true, ignoreChanges: [...LEFT_ALONE, ...(hasStream ? [] : STREAM)] },
  });
  table.addOverride('lifecycle.postcondition', [indexCondition(props)]);
  return table;
}

function lookedUp(scope: Construct, props: ResolvedProps): DataAwsDynamodbTable {
  const table = new DataAwsDynamodbTable(scope, 'table', { name: props.tableName });
  table.addOverride('lifecycle', { postcondition: tableConditions(props) });
  return table;
}
