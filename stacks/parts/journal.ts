import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../deployments.ts';
import { journalName } from '../names.ts';
import type { Place, Statement } from './role.ts';
import { tagged } from './tagged.ts';

export interface JournalProps {
  readonly place: Place;
  readonly deployment: Pick<Deployment, 'name' | 'kmsKeyArn' | 'tags'>;
}

/** The journal of a deployment: how far each table is swept, what the sweeps did, and what operators set. */
export class Journal extends Construct {
  readonly table: DynamodbTable;
  readonly tableName: string;
  readonly tableArn: string;

  constructor(scope: Construct, id: string, { place, deployment }: JournalProps) {
    super(scope, id);
    const { kmsKeyArn } = deployment;
    this.table = new DynamodbTable(this, 'table', {
      name: journalName(deployment.name),
      billingMode: 'PAY_PER_REQUEST',
      hashKey: 'id',
      rangeKey: 'at',
      attribute: [
        { name: 'id', type: 'S' },
        { name: 'at', type: 'S' },
      ],
      ttl: { attributeName: 'expires', enabled: true },
      ...(kmsKeyArn !== undefined && { serverSideEncryption: { enabled: true, kmsKeyArn } }),
      ...tagged(deployment),
    });
    this.node.defaultChild = this.table;
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    place.knowTable(this.tableArn, journalName(deployment.name));
  }

  /** What whoever plans a sweep does: reads what holds now, and writes the watermarks. */
  planStatements(): Statement[] {
    return [{ actions: ['dynamodb:Query', 'dynamodb:PutItem'], resources: [this.tableArn] }];
  }

  /** What whoever records a sweep does. */
  recordStatements(): Statement[] {
    return [{ actions: ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'], resources: [this.tableArn] }];
  }
}
