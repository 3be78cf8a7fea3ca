import { ApiError } from './errors.ts';
import type { Members } from './members.ts';

/** Position of an item in a list: it increases along the list and never changes, even when items are added or removed. */
type Position = number | string;

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 1000;

/** The page of a list that a request asks for. */
export interface PageRequest {
  readonly size: number;
  /** Position of the previous page's last item; undefined for the first page. */
  readonly after: Position | undefined;
  /** Creates the token of the next page. */
  token(after: Position): string;
}

/**
 * Reads `maxResults` and `nextToken`. A token is valid only for the same request.
 * @param list what is listed, and of what: `ListExecutions arn…`
 */
export function takePage(members: Members, list: string): PageRequest {
  const size = members.integer('maxResults', 0, MAX_RESULTS) || DEFAULT_RESULTS;
  const token = members.optionalString('nextToken', { min: 1, max: 3096 });
  return {
    size,
    after: token === undefined ? undefined : readToken(token, list),
    token: after => Buffer.from(JSON.stringify([list, after])).toString('base64'),
  };
}

function readToken(token: string, list: string): Position {
  try {
    const [of, after] = JSON.parse(Buffer.from(token, 'base64').toString()) as [unknown, unknown];
    if (of === list && (typeof after === 'number' || typeof after === 'string')) return after;
  } catch {
    // The token is not one of ours.
  }
  throw new ApiError('InvalidToken', "Invalid Token: 'Invalid token'");
}

/** Reads and returns a page of a list. */
export function takeItems<T>(
  page: PageRequest,
  items: readonly T[],
  position: (item: T) => Position,
): { readonly items: readonly T[]; readonly nextToken?: string } {
  const { after } = page;
  const rest = after === undefined ? items : items.filter(item => position(item) > after);
  const taken = rest.slice(0, page.size);
  const last = taken.at(-1);
  return {
    items: taken,
    ...(last !== undefined && rest.length > taken.length && { nextToken: page.token(position(last)) }),
  };
}
