/**
 * The turn of a table, 0 to `turns` - 1: those of a deployment have different ones. Names often differ in a number only, whose digits alone
 * would give many of them the same.
 */
export function turnOf(tableName: string, turns: number): number {
  return [...tableName].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % turns, 0);
}
