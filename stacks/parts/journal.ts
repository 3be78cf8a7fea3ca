import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../../config/deployments.ts';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import { tableKeyStatements } from './access-statements.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';

export interface JournalProps {
  readonly place: Place;
  readonly deployment: Pick<Deployment, 'name' | 'kmsKeyArn'>;
}

/**
 * The journal of a deployment: watermarks, pauses, results. Its layout is in `functions/journal/layout.ts`. No edit deletes or replaces it.
 */
export class Journal extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly table: DynamodbTable;
  readonly #props: JournalProps;

  constructor(scope: Construct, id: string, props: JournalProps) {
    super(scope, id);
    this.#props = props;
    const { place, deployment } = props;
    const { partitionKey, sortKey } = JOURNAL_KEYS;
    this.table = new DynamodbTable(this, 'table', {
      name: journalName(deployment.name),
      billingMode: 'PAY_PER_REQUEST',
      hashKey: partitionKey,
      rangeKey: sortKey,
      attribute: [
        { name: partitionKey, type: 'S' },
        { name: sortKey, type: 'S' },
      ],
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
    place.know(this.tableArn, journalName(deployment.name), 'table/');
  }

  /** Permissions for actions of DynamoDB. It uses the journal's key with the permissions of the caller. */
  statements(...actions: readonly string[]): Statement[] {
    const { place, deployment } = this.#props;
    return [
      { actions: actions.map(each => `dynamodb:${each}`), resources: [this.tableArn] },
      ...tableKeyStatements('write', { tableKmsKeyArn: deployment.kmsKeyArn }, place),
    ];
  }
}
