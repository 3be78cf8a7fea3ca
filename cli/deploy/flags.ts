/** Of the commands that change something. */
export const YES = {
  yes: { type: 'switch', help: 'do not ask (nor does it without a terminal)' },
} as const;

/** Whether to go ahead without asking. */
export function approved({ yes }: { readonly yes: boolean }): boolean {
  return yes || !process.stdin.isTTY;
}
