/** `2026-11-20T09:00:00Z` */
export function isoSeconds(date: Date | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
