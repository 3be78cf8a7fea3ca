import { DataAwsDynamodbTable } from '@cdktf/provider-aws/lib/data-aws-dynamodb-table/index.js';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../props.ts';
import { escaped, literal } from '../terraform-text.ts';

/**
 * The table whose items expire, with the sparse index of expiry windows. Created, or looked up by name when it is
 * there already; Terraform then checks that it has the index and native TTL before anything is deployed that needs them.
 */
export class ExpiringTable extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;

  constructor(scope: Construct, id: string, props: ResolvedProps) {
    super(scope, id);
    const table = props.existingTable ? existing(this, props) : created(this, props);
    this.tableName = table.name;
    this.tableArn = table.arn;
    this.indexArn = `${table.arn}/index/${props.indexName}`;
  }
}

function created(scope: Construct, props: ResolvedProps): DynamodbTable {
  const partitionKey = escaped(props.partitionKey);
  const sortKey = props.sortKey === undefined ? undefined : escaped(props.sortKey);
  const windowAttribute = escaped(props.windowAttribute);
  const ttlAttribute = escaped(props.ttlAttribute);
  return new DynamodbTable(scope, 'table', {
    name: props.tableName,
    billingMode: 'PAY_PER_REQUEST',
    deletionProtectionEnabled: props.deletionProtection,
    hashKey: partitionKey,
    ...(sortKey === undefined ? {} : { rangeKey: sortKey }),
    attribute: [
      { name: partitionKey, type: props.partitionKeyType },
      ...(sortKey === undefined ? [] : [{ name: sortKey, type: props.sortKeyType }]),
      { name: windowAttribute, type: 'S' },
      { name: ttlAttribute, type: 'N' },
    ],
    globalSecondaryIndex: [
      {
        name: props.indexName,
        hashKey: windowAttribute,
        rangeKey: ttlAttribute,
        projectionType: 'KEYS_ONLY',
      },
    ],
    // The backstop: what no sweep ever reaches (a wrong window, a long pause) goes within days.
    ttl: { attributeName: ttlAttribute, enabled: true },
  });
}

function existing(
  scope: Construct,
  { tableName, indexName, ttlAttribute }: ResolvedProps,
): DataAwsDynamodbTable {
  const table = new DataAwsDynamodbTable(scope, 'table', { name: tableName });
  table.addOverride('lifecycle', {
    postcondition: [
      {
        condition: `\${contains(self.global_secondary_index[*].name, "${indexName}")}`,
        error_message: `Table ${tableName} has no index ${indexName}. Add it first: docs/deploy.md, "An existing table".`,
      },
      {
        condition: `\${anytrue([for ttl in self.ttl : ttl.enabled && ttl.attribute_name == ${literal(ttlAttribute)}])}`,
        error_message: `Native TTL of table ${tableName} is not enabled on ${escaped(ttlAttribute)}. It is the backstop: docs/deploy.md, "An existing table".`,
      },
    ],
  });
  return table;
}
