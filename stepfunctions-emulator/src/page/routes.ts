import type { ApiContext } from '../api/context.ts';
import { ApiError } from '../api/errors.ts';
import type { HttpAnswer, HttpRequest } from '../loopback/index.ts';
import { ANSWERS } from './answers.ts';
import { SERVED_POLICY, servedPage } from './html.ts';
import { pageSource } from './page-source.ts';

const HEADERS = {
  'content-security-policy': SERVED_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // After a restart the server may have another version, with other state machines.
  'cache-control': 'no-store',
};

const FILES: Readonly<Record<string, () => Promise<{ type: string; body: string }>>> = {
  '/': async () => ({ type: 'text/html', body: servedPage() }),
  '/page/script.js': async () => ({ type: 'text/javascript', body: (await pageSource()).script }),
  '/page/style.css': async () => ({ type: 'text/css', body: (await pageSource()).style }),
};

/** Whether a request is for the page: requests of AWS's API are POST. */
export const isOfPage = ({ method }: HttpRequest): boolean => method === 'GET';

/**
 * Answers a request of the page: its files, and the data that it shows.
 * @throws {ApiError} for what is not there, and for a request that another site makes in this machine's browser
 */
export async function answerPage(context: ApiContext, request: HttpRequest): Promise<HttpAnswer> {
  const [pathname = '', query = ''] = request.target.split('?');
  const file = Object.hasOwn(FILES, pathname) ? await FILES[pathname]?.() : undefined;
  if (file !== undefined) return answer(`${file.type}; charset=utf-8`, file.body);
  refuseOtherSites(request);
  const name = pathname.replace(/^\/page\/data\//, '');
  const data = Object.hasOwn(ANSWERS, name)
    ? ANSWERS[name]?.(context, new URLSearchParams(query))
    : undefined;
  if (data !== undefined) return answer('application/json', JSON.stringify(data));
  throw new ApiError(
    'UnknownOperationException',
    `GET ${pathname.slice(0, 100)}: expected / for the page, got a path that is not there; the API of AWS is POST /`,
    404,
  );
}

const answer = (type: string, body: string): HttpAnswer => ({
  status: 200,
  headers: { ...HEADERS, 'content-type': type },
  body,
});

/** Browsers send the origin of a request; `none` means that a person typed the address. */
function refuseOtherSites({ headers }: HttpRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ApiError(
    'AccessDeniedException',
    `Sec-Fetch-Site: expected same-origin, got ${JSON.stringify(String(site).slice(0, 100))}; the data is for the page of this server`,
    403,
  );
}
