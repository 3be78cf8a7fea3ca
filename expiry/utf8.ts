/** The same bytes as from TextEncoder. jsdom, in which front ends are tested, long had no TextEncoder. */
export function utf8(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).match(/%..|./g) ?? [];
  return Uint8Array.from(escaped, part =>
    part.startsWith('%') ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0),
  );
}
