import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import { tableKeyStatements } from './access-statements.ts';
import type { Part } from './place.ts';
import type { Statement } from './role.ts';

/** Watermarks, pauses and results: see `functions/journal/layout.ts`. No configuration deletes or replaces the journal. */
export class Journal extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly table: DynamodbTable;
  readonly #part: Part;

  constructor(scope: Construct, id: string, part: Part) {
    super(scope, id);
    this.#part = part;
    const { place, deployment } = part;
    const name = journalName(deployment.name);
    const { partitionKey, sortKey } = JOURNAL_KEYS;
    this.table = new DynamodbTable(this, 'table', {
      name,
      billingMode: 'PAY_PER_REQUEST',
      hashKey: partitionKey,
      rangeKey: sortKey,
      attribute: [partitionKey, sortKey].map(each => ({ name: each, type: 'S' })),
      ttl: { attributeName: EXPIRES, enabled: true },
      pointInTimeRecovery: { enabled: true },
      deletionProtectionEnabled: true,
      lifecycle: { preventDestroy: true },
      ...(deployment.kmsKeyArn !== undefined && {
        serverSideEncryption: { enabled: true, kmsKeyArn: deployment.kmsKeyArn },
      }),
    });
    this.node.defaultChild = this.table;
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    place.know(this.tableArn, name, 'table/');
  }

  statements(...actions: readonly string[]): Statement[] {
    const { place, deployment } = this.#part;
    return [
      { actions: actions.map(each => `dynamodb:${each}`), resources: [this.tableArn] },
      ...tableKeyStatements('write', { tableKmsKeyArn: deployment.kmsKeyArn }, place),
    ];
  }
}
