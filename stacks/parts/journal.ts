import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import { given, when } from '../../config/values.ts';
import { type Book, bookId, type Reader } from '../../functions/journal/books.ts';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';

import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { tableKeyStatements } from './table-key.ts';
import { tagged } from './tagged.ts';

/** What PlanSweep does: it reads what is set, and writes how far each table is and that a hand-over lives. */
const PLAN_ACTIONS = ['dynamodb:Query', 'dynamodb:UpdateItem'];

/** What RecordMetrics does: it writes what an execution came to, hands over, and notes what was replayed. */
const RECORD_ACTIONS = ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'];

/** What QueryExpired does: it writes down how far a scan of an index is, and what it came to. */
const SCAN_ACTIONS = ['dynamodb:UpdateItem'];

export interface JournalProps {
  readonly place: Place;
  /** Name of the deployment. */
  readonly deployment: string;
  readonly sweep: Pick<ResolvedProps, 'kmsKeyArn' | 'tags'>;
}

/**
 * The journal of a deployment, which `functions/journal/layout.ts` lays out. Nothing protects it from being deleted with its deployment:
 * with it no item is lost, and what was paused is no longer swept then.
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
        serverSideEncryption: { enabled: given(sweep.kmsKeyArn), kmsKeyArn: sweep.kmsKeyArn },
      }),
      ...tagged(sweep),
    });
    this.node.defaultChild = this.table;
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    place.knowTable(this.tableArn, journalName(deployment));
  }

  /** What the role of PlanSweep may do with it. */
  planStatements(): Statement[] {
    return this.#statements(PLAN_ACTIONS);
  }

  /** What the role of QueryExpired may do with it. @param proof whether any table has one */
  scanStatements(proof: boolean): Statement[] {
    return [...this.#statements(SCAN_ACTIONS), ...this.#bookStatements(['kept'], proof)];
  }

  /** What the role of RecordMetrics may do with it. */
  recordStatements(): Statement[] {
    return this.#statements(RECORD_ACTIONS);
  }

  /** What the role of DeleteChunk may do with it. @param ledger whether any table has one */
  deleteStatements(ledger: boolean): Statement[] {
    return this.#bookStatements(['deleted', 'kept'], ledger);
  }

  /** @param ledger whether any table has one */
  #bookStatements(books: readonly Book[], ledger: boolean): Statement[] {
    const ids = books.map(book => bookId(book, '*'));
    return ledgerStatements(this.tableArn, ids, this.#props).map(statement => ({
      ...statement,
      resources: when(ledger, statement.resources, []),
    }));
  }

  #statements(actions: readonly string[]): Statement[] {
    const { place, sweep } = this.#props;
    return [{ actions, resources: [this.tableArn] }, ...keyStatements(sweep, place)];
  }
}

/** What whoever knows the journal by its deployment's name only has as its environment. */
export function journalEnvironment(deployment: string): Readonly<Record<string, string>> {
  return { DEPLOYMENT_NAME: deployment, JOURNAL_TABLE: journalName(deployment) };
}

/** What a reader of a table's stream may do with the journal: it writes its own book of the table. */
export function bookStatements(
  book: Reader,
  sweep: Pick<ResolvedProps, 'kmsKeyArn' | 'sweep' | 'tableName'>,
  place: Place,
): Statement[] {
  const journalArn = place.arn('dynamodb', `table/${journalName(sweep.sweep)}`);
  return ledgerStatements(journalArn, [bookId(book, sweep.tableName)], { place, sweep });
}

/** What whoever proves what was deleted of a table may do: it reads the table's books. */
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

/** Source of the condition: DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control". */
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

/** DynamoDB uses the journal's key with the permissions of its caller. */
function keyStatements(
  { kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>,
  place: Place,
  access: 'read' | 'write' = 'write',
): Statement[] {
  return tableKeyStatements(access, kmsKeyArn === undefined ? {} : { tableKmsKeyArn: kmsKeyArn }, place);
}
