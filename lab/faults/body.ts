/** The JSON body of a request or an answer. */
export type Body = Readonly<Record<string, unknown>>;

/** undefined for what isn't a JSON object: it is passed on as it is. */
export function parseBody(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}
