import { createHash } from 'node:crypto';

/** Most characters that DynamoDB takes as the name of a table. */
const MAX_NAME = 255;
const PREFIX = 'precise-ttl-drill.';
const HASH = 16;

/** The name of the scratch table of a table. It is always the same, so that a drill finds what one before it left behind. */
export function scratchNameOf(tableName: string): string {
  const name = `${PREFIX}${tableName}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tableName).digest('hex').slice(0, HASH);
  return `${name.slice(0, MAX_NAME - HASH)}${hash}`;
}
