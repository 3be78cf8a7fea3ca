import type { ExpiredKey, FailedKey } from '../../statemachine/contract/keys.ts';
import { lagOf } from '../report/lag.ts';
import { failedKey } from '../report/listed-keys.ts';
import { isBusyStatement, isThrottling } from '../table/dynamodb-errors.ts';
import type { Deletion } from './deletion.ts';

/** An item as the document client has it. */
type Item = Readonly<Record<string, unknown>>;

/** The result of one key in a batch of statements. */
export interface StatementFate {
  readonly expired: ExpiredKey;
  readonly became: 'deleted' | 'renewed' | 'notFound' | 'failed' | 'unprocessed';
  /** DynamoDB's error code, if there was an error. */
  readonly code?: string | undefined;
}

/** The answer to one statement. */
interface StatementAnswer {
  readonly Item?: Item | undefined;
  readonly Error?: { readonly Code?: string | undefined } | undefined;
}

/**
 * Returns the result of each key. `RETURNING ALL OLD *` tells an item that this call deleted from one that was missing.
 *
 * @param answers in the order of the statements
 */
export function fatesOf(keys: readonly ExpiredKey[], answers: readonly StatementAnswer[]): StatementFate[] {
  return keys.map((expired, index) => {
    const answer = answers[index];
    if (!answer) return { expired, became: 'unprocessed' };
    const { Item: item, Error: error } = answer;
    const code = error?.Code;
    if (isBusyStatement(code)) return { expired, became: 'unprocessed', code };
    if (code === 'ConditionalCheckFailed') return { expired, became: 'renewed', code };
    if (error) return { expired, became: 'failed', code };
    return { expired, became: item ? 'deleted' : 'notFound' };
  });
}

/** Counts the results of a batch that was answered at this moment. */
export function deletionOf(fates: readonly StatementFate[], answeredAtMs: number): Deletion {
  const unprocessed: ExpiredKey[] = [];
  const failed: FailedKey[] = [];
  const deleted: number[] = [];
  const counts = { renewed: 0, notFound: 0, throttled: 0 };
  for (const { expired, became, code } of fates) {
    if (isThrottling(code)) counts.throttled += 1;
    if (became === 'deleted') deleted.push(expired.ttl);
    else if (became === 'unprocessed') unprocessed.push(expired);
    else if (became === 'failed') failed.push(failedKey(expired, code ?? 'UnknownError'));
    else counts[became] += 1;
  }
  const lag = lagOf(deleted, answeredAtMs);
  return { deleted: deleted.length, ...counts, unprocessed, failed, ...lag };
}
