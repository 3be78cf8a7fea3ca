/** Where a comparison is written to, and read from to draw it again. */
export const RESULT_FLAG = {
  type: 'text',
  default: 'bench/results/lag.json',
  value: 'FILE',
  help: 'the result; the plot stands beside it',
} as const;

export function svgBeside(jsonFile: string): string {
  return jsonFile.replace(/\.json$/, '.svg');
}
