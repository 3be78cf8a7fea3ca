import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import { type Book, bookId, type Reader } from '../../functions/journal/books.ts';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';

import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { tableKeyStatements } from './table-key.ts';
import { tagged } from './tagged.ts';

/**
 * Actions of PlanSweep: it reads the settings, writes the watermark of each table (the time up to which everything is swept), and renews
 * hand-overs (work that a tick left to another execution).
 */
const PLAN_ACTIONS = ['dynamodb:Query', 'dynamodb:UpdateItem'];

/**
 * Actions of RecordMetrics: it writes an execution's result, hands unfinished work over to another execution, and records the span of a
 * replay.
 */
const RECORD_ACTIONS = ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'];

/** Actions of QueryExpired: it writes the progress of a scan of an index, and its result. */
const SCAN_ACTIONS = ['dynamodb:UpdateItem'];

export interface JournalProps {
  readonly place: Place;
  /** Name of the deployment. */
  readonly deployment: string;
  readonly sweep: Pick<ResolvedProps, 'kmsKeyArn' | 'tags'>;
}

/**
 * The journal of a deployment; its layout is in `functions/journal/layout.ts`. Nothing protects it from being deleted with its deployment:
 * losing it loses no item, and without a deployment a pause has no meaning.
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
      ...(sweep.kmsKeyArn !== undefined && {
        serverSideEncryption: { enabled: true, kmsKeyArn: sweep.kmsKeyArn },
      }),
      ...tagged(sweep),
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

  /** Permissions of QueryExpired's role on the journal. @param proof whether any table has a proof */
  scanStatements(proof: boolean): Statement[] {
    return [...this.#statements(SCAN_ACTIONS), ...this.#bookStatements(['kept'], proof)];
  }

  /** Permissions of RecordMetrics' role on the journal. */
  recordStatements(): Statement[] {
    return this.#statements(RECORD_ACTIONS);
  }

  /** Permissions of DeleteChunk's role on the journal. @param ledger whether any table has a ledger */
  deleteStatements(ledger: boolean): Statement[] {
    return this.#bookStatements(['deleted', 'kept'], ledger);
  }

  /** Permissions to write these books (parts of the ledger) of all tables. @param ledger whether any table has a ledger */
  #bookStatements(books: readonly Book[], ledger: boolean): Statement[] {
    const ids = books.map(book => bookId(book, '*'));
    return ledger ? ledgerStatements(this.tableArn, ids, this.#props) : [];
  }

  #statements(actions: readonly string[]): Statement[] {
    const { place, sweep } = this.#props;
    return [{ actions, resources: [this.tableArn] }, ...keyStatements(sweep, place)];
  }
}

/** The environment variables of the journal, whose name follows from the deployment's. */
export function journalEnvironment(deployment: string): Readonly<Record<string, string>> {
  return { DEPLOYMENT_NAME: deployment, JOURNAL_TABLE: journalName(deployment) };
}

/** Permissions of a stream's reader on the journal: it writes its own book, which is its part of the table's ledger. */
export function bookStatements(
  book: Reader,
  sweep: Pick<ResolvedProps, 'kmsKeyArn' | 'sweep' | 'tableName'>,
  place: Place,
): Statement[] {
  const journalArn = place.arn('dynamodb', `table/${journalName(sweep.sweep)}`);
  return ledgerStatements(journalArn, [bookId(book, sweep.tableName)], { place, sweep });
}

/** Permissions for the proof of a table's deletions, which reads the table's books (the parts of its ledger). */
export function readBookStatements(
  sweep: Pick<ResolvedProps, 'kmsKeyArn' | 'sweep' | 'tableName'>,
  place: Place,
): Statement[] {
  const books = (['deleted', 'archived', 'kept'] as const).map(book => bookId(book, sweep.tableName));
  return [
    {
      actions: ['dynamodb:Query'],
      resources: [place.arn('dynamodb', `table/${journalName(sweep.sweep)}`)],
      condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': books } },
    },
    ...keyStatements(sweep, place, 'read'),
  ];
}

/**
 * Permissions on parts of the ledger. Source of the condition: DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained
 * access control".
 */
function ledgerStatements(
  journalArn: string,
  books: readonly string[],
  { place, sweep }: Pick<JournalProps, 'place'> & { readonly sweep: Pick<ResolvedProps, 'kmsKeyArn'> },
): Statement[] {
  return [
    {
      actions: ['dynamodb:PutItem'],
      resources: [journalArn],
      condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': books } },
    },
    ...keyStatements(sweep, place),
  ];
}

/** Permissions on the journal's key, which DynamoDB uses with the permissions of the caller. */
function keyStatements(
  { kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>,
  place: Place,
  access: 'read' | 'write' = 'write',
): Statement[] {
  return tableKeyStatements(access, kmsKeyArn === undefined ? {} : { tableKmsKeyArn: kmsKeyArn }, place);
}
