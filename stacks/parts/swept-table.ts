// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { DataAwsDynamodbTable } from '@cdktf/provider-aws/lib/data-aws-dynamodb-table/index.js';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import type { ExpiryModelProps } from '../../expiry/model.ts';
import { carriedSettings, modelPropsOfSettings } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { modelOf } from '../config/deployments.ts';
import { functionSettings, type ResolvedProps, readsStream } from '../config/props.ts';
import { escaped, literal } from '../config/terraform-text.ts';
import type { Place } from './place.ts';

export interface TableReference {
  readonly name: string;
  readonly arn: string;
  /** ARN of the table's stream, which must have old images. Required for `archive` and `events`. */
  readonly streamArn?: string;
}

/** A table of a deployment. The ids in this class must not change: Terraform's addresses have them, and a new address is a new table. */
export class SweptTable extends Construct {
  readonly props: ResolvedProps;
  /** Argument of the function `expiryModel` in programs that write or read the table. Programs in other languages can use it as JSON. */
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

  /** Terraform address of the table's `aws_dynamodb_table`. For an existing table, an earlier deployment may have made this resource. */
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

/** Arguments whose changes Terraform ignores. Otherwise a deployment would remove indexes and replicas that other programs added. */
const LEFT_ALONE = ['attribute', 'global_secondary_index', 'replica'];

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
    // A user may set another class in `overrides`. Without this argument, Terraform would keep it after the user removes it.
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
    // Native TTL deletes, within days, the items that no sweep finds, such as items with a wrong window.
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

/**
 * Terraform checks these conditions on an existing table. An index that is still CREATING passes, because Terraform's data source does not
 * read the status.
 */
export function tableConditions(props: ResolvedProps) {
  const { tableName, partitionKey, partitionKeyType, sortKey, sortKeyType, indexName, ttlAttribute } = props;
  const { windowAttribute } = modelOf(props);
  const types = [
    [partitionKey, partitionKeyType],
    ...(sortKey === undefined ? [] : [[sortKey, sortKeyType]]),
    ...(windowAttribute === undefined ? [] : [[windowAttribute, 'S']]),
    [ttlAttribute, 'N'],
  ].map(([name = '', type]) => ({ name, type }));
  const typeOf = types.map(({ name, type }) => `${literal(name)} = "${type}"`).join(', ');
  // `self.attribute` has the key attributes of the table and of its indexes.
  const typesOfTable = '${join(", ", [for a in self.attribute : "${a.name} (${a.type})"])}';
  const ofSortKey =
    sortKey === undefined ? 'try(length(self.range_key), 0) == 0' : `self.range_key == ${literal(sortKey)}`;
  const conditions = [
    conditionOf(
      props,
      `self.hash_key == ${literal(partitionKey)} && ${ofSortKey}`,
      // Terraform evaluates this message even if the condition is true, so the message must also work without a sort key.
      `its keys are \${join(", ", compact([self.hash_key, self.range_key]))}, not ${escaped([partitionKey, sortKey ?? []].flat().join(', '))}.`,
      'Correct partitionKey and sortKey in the configuration.',
    ),
    conditionOf(
      props,
      `alltrue([for a in self.attribute : a.type == lookup({ ${typeOf} }, a.name, a.type)])`,
      `its key attributes are ${typesOfTable}, not ${escaped(types.map(({ name, type }) => `${name} (${type})`).join(', '))}.`,
      'Correct partitionKey.type and sortKey.type in the configuration; the types of the index are those that the sweep needs.',
    ),
    indexCondition(props),
    conditionOf(
      props,
      `alltrue([for i in self.global_secondary_index : i.projection_type == "KEYS_ONLY" if i.name == ${literal(indexName)}])`,
      `the index ${indexName} projects more than keys.`,
      'Every write and every query would cost capacity for attributes that the sweep never reads: add another index with KEYS_ONLY and name it in index.name.',
    ),
    conditionOf(
      props,
      `anytrue([for ttl in self.ttl : ttl.enabled && ttl.attribute_name == ${literal(ttlAttribute)}])`,
      `native TTL is not ENABLED on the attribute ${escaped(ttlAttribute)}.`,
      `It is the backstop: turn it on. It is ENABLING for up to an hour then; deploy again when it is ENABLED: aws dynamodb describe-time-to-live --table-name ${tableName}.`,
    ),
  ];
  if (!readsStream(props)) return conditions;
  // The stream's ARN does not show that the stream is on: a table keeps the ARN for a day after the stream was turned off.
  const view = 'try(self.stream_enabled ? self.stream_view_type : "off", "off")';
  const turnOn = `aws dynamodb update-table --table-name ${tableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES`;
  return [
    ...conditions,
    conditionOf(
      props,
      `contains(["OLD_IMAGE", "NEW_AND_OLD_IMAGES"], ${view})`,
      `its stream has no old images, it is \${${view}}.`,
      `Without them archive and events cannot tell whether a removed item had expired. Turn it on: ${turnOn}. A stream keeps its view: turn one with another view off first, and have its other readers begin again.`,
    ),
  ];
}

function conditionOf({ tableName }: ResolvedProps, test: string, problem: string, remedy: string) {
  return {
    condition: `\${${test}}`,
    error_message: `Table ${tableName}: ${problem} ${remedy} See docs/adopt.md of precise-ttl.`,
  };
}

/**
 * The condition that the table has the sweep's index. Tables that the deployment makes need it, too: Terraform does not change their
 * indexes, and with a wrong index the sweep would find nothing, without an error.
 */
function indexCondition(props: ResolvedProps) {
  const { indexName, ttlAttribute } = props;
  const { windowAttribute } = modelOf(props);
  const [keys, test] =
    windowAttribute === undefined
      ? [ttlAttribute, `i.hash_key == ${literal(ttlAttribute)} && try(length(i.range_key), 0) == 0`]
      : [
          `${windowAttribute} and ${ttlAttribute}`,
          `i.hash_key == ${literal(windowAttribute)} && i.range_key == ${literal(ttlAttribute)}`,
        ];
  return conditionOf(
    props,
    `anytrue([for i in self.global_secondary_index : i.name == ${literal(indexName)} && ${test}])`,
    `it has no index ${indexName} with the keys ${escaped(keys)}.`,
    "An index's keys cannot be changed: correct index and ttlAttribute in the configuration, or add such an index first: npx precise-ttl adopt says how.",
  );
}
