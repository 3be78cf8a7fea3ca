const SHOWN = 3;

/** `3 items are …: a, b, c`; none when there are none. */
export function problem(found: readonly string[], what: string): string[] {
  if (found.length === 0) return [];
  const shown = found.slice(0, SHOWN).join('; ') + (found.length > SHOWN ? '; …' : '');
  return [`${found.length.toLocaleString('en-US')} ${what}: ${shown}`];
}
