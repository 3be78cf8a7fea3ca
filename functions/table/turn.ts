/**
 * A number for a table from 0 to `turns` - 1, by which the tables of a deployment take different turns. Names often differ only in a
 * number, whose digits alone would give many of them the same turn.
 */
export function turnOf(tableName: string, turns: number): number {
  return [...tableName].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % turns, 0);
}
