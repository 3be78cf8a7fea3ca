import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import { tableKeyStatements } from './access-statements.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';

/** Actions of PlanSweep: it reads pauses and watermarks, and moves the watermarks. */
const PLAN_ACTIONS = ['dynamodb:Query', 'dynamodb:UpdateItem'];

/** Actions of QueryExpired: it notes what was swept. */
const NOTE_ACTIONS = ['dynamodb:UpdateItem'];

/** Actions of DeleteChunk: it reads whether the table is paused. */
const PAUSE_ACTIONS = ['dynamodb:Query'];

/** Actions of RecordMetrics: it writes an execution's result, and records the span of a replay. */
const RECORD_ACTIONS = ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'];

export interface JournalProps {
  readonly place: Place;
  /** Name of the deployment. */
  readonly deployment: string;
  readonly sweep: Pick<ResolvedProps, 'kmsKeyArn'>;
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
    const { place, deployment, sweep } = props;
    const { partitionKey, sortKey } = JOURNAL_KEYS;
    this.table = new DynamodbTable(this, 'table', {
      name: journalName(deployment),
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
      ...(sweep.kmsKeyArn !== undefined && {
        serverSideEncryption: { enabled: true, kmsKeyArn: sweep.kmsKeyArn },
      }),
    });
    this.node.defaultChild = this.table;
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    place.knowTable(this.tableArn, journalName(deployment));
  }

  /** Permissions of PlanSweep's role on the journal. */
  planStatements(): Statement[] {
    return this.#statements(PLAN_ACTIONS);
  }

  /** Permissions of QueryExpired's role on the journal. */
  noteStatements(): Statement[] {
    return this.#statements(NOTE_ACTIONS);
  }

  /** Permissions of DeleteChunk's role on the journal. */
  pauseStatements(): Statement[] {
    return this.#statements(PAUSE_ACTIONS);
  }

  /** Permissions of RecordMetrics' role on the journal. */
  recordStatements(): Statement[] {
    return this.#statements(RECORD_ACTIONS);
  }

  #statements(actions: readonly string[]): Statement[] {
    const { place, sweep } = this.#props;
    return [{ actions, resources: [this.tableArn] }, ...keyStatements(sweep, place)];
  }
}

/** Permissions on the journal's key, which DynamoDB uses with the permissions of the caller. */
function keyStatements({ kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>, place: Place): Statement[] {
  return tableKeyStatements('write', kmsKeyArn === undefined ? {} : { tableKmsKeyArn: kmsKeyArn }, place);
}
