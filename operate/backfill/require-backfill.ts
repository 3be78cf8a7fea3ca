import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { PreciseTtlError } from '../../expiry/errors.ts';

/** A backfill is not possible; the message is for the user. */
export class BackfillError extends PreciseTtlError {
  override readonly name = 'BackfillError';
}

/** @throws {BackfillError} for a table that needs no backfill, or that has no state machine for it */
export function requireBackfill(table: PreciseTtlProps): void {
  const { tableName, indexedBy, backfill } = resolveProps(table);
  if (indexedBy === 'second') {
    throw new BackfillError(
      `table ${tableName}: expected one that is indexed by window, got index: { by: 'second' }; nothing is to be done there: ` +
        'DynamoDB puts the items that are there into the index by itself',
    );
  }
  if (backfill) return;
  throw new BackfillError(
    `table ${tableName}: expected index: { backfill: true } in the configuration, got false; add it and deploy, which provisions the ` +
      'state machine that this command starts',
  );
}
