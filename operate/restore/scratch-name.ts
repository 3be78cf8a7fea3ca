import { createHash } from 'node:crypto';

/** Length limit of DynamoDB for names of tables. */
const MAX_NAME = 255;
const PREFIX = 'precise-ttl-drill.';
const HASH = 16;

/** The name of a table's scratch table. It is always the same, so that a drill finds the scratch table of an interrupted one. */
export function scratchNameOf(tableName: string): string {
  const name = `${PREFIX}${tableName}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tableName).digest('hex').slice(0, HASH);
  return `${name.slice(0, MAX_NAME - HASH)}${hash}`;
}
