import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import { itemText } from '../ledger/item.ts';

/** `DELETE FROM "t" WHERE … RETURNING ALL OLD *`, and no other statement. */
export interface DeleteStatement {
  readonly tableName: string;
  readonly conditions: readonly Condition[];
}

interface Condition {
  readonly name: string;
  readonly operator: '=' | '<=' | '>';
}

/** A statement or a request that the functions should never send. */
export class UnknownRequestError extends Error {
  override readonly name = 'UnknownRequestError';
}

const STATEMENT = /^DELETE FROM "((?:[^"]|"")+)" WHERE (.+) RETURNING ALL OLD \*$/s;
const CONDITION = /"((?:[^"]|"")+)" (= \?|<= \?|> \?)( AND (?=")|$)/y;

/** Source: DynamoDB API reference, BatchStatementRequest. */
const MAX_STATEMENT_LENGTH = 8192;

const known = new Map<string, DeleteStatement>();

/** Parses a statement. @throws UnknownRequestError for any other than a delete of the functions */
export function readStatement(text: string): DeleteStatement {
  const before = known.get(text);
  if (before !== undefined) return before;
  const [, table = '', where = ''] = (text.length <= MAX_STATEMENT_LENGTH && STATEMENT.exec(text)) || [];
  const conditions: Condition[] = [];
  CONDITION.lastIndex = 0;
  let end = 0;
  for (let match = CONDITION.exec(where); match !== null; match = CONDITION.exec(where)) {
    const [, name = '', operator = ''] = match;
    conditions.push({ name: unquoted(name), operator: operator.replace(' ?', '') as Condition['operator'] });
    end = CONDITION.lastIndex;
    if (end === where.length) break;
  }
  if (conditions.length === 0 || end !== where.length) {
    throw new UnknownRequestError(`expected the PartiQL of a guarded delete, got ${text}`);
  }
  const statement = { tableName: unquoted(table), conditions };
  known.set(text, statement);
  return statement;
}

/** The key that a statement names. @throws UnknownRequestError */
export function keyOfStatement(
  { conditions }: DeleteStatement,
  parameters: readonly EventValue[],
  keyNames: readonly string[],
): EventImage {
  const key = keyNames.map((name, index) => {
    const condition = conditions[index];
    const value = parameters[index];
    if (condition?.name !== name || condition.operator !== '=' || value === undefined)
      throw new UnknownRequestError(`expected "${name}" = ? as condition ${index + 1} of a delete`);
    return [name, value] as const;
  });
  return Object.fromEntries(key);
}

/** Whether an item meets the condition of a statement. */
export function matches(
  { conditions }: DeleteStatement,
  parameters: readonly EventValue[],
  item: EventImage,
): boolean {
  return conditions.every(({ name, operator }, index) => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    const parameter = parameters[index];
    if (value === undefined || parameter === undefined) return false;
    if (operator === '=') return itemText({ value }) === itemText({ value: parameter });
    if (!('N' in value && 'N' in parameter)) return false;
    return operator === '<=' ? Number(value.N) <= Number(parameter.N) : Number(value.N) > Number(parameter.N);
  });
}

const unquoted = (name: string): string => name.replaceAll('""', '"');
