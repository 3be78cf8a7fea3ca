import type { ApiProtocol } from './api-server.ts';

/** A request to a REST API of AWS. */
export interface ApiRequest {
  readonly method: string;
  /** The parts between the slashes, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
}

/** @returns the answer, as JSON; throws ApiRequestError for one that is an error */
export type ApiHandler = (request: ApiRequest) => object | Promise<object>;

/** The protocol REST JSON: the method and the path say what is asked for. */
export function restJson(handle: ApiHandler): ApiProtocol {
  return {
    contentType: 'application/json',
    internalError: 'InternalServerException',
    answer({ method, url, body }) {
      const path = url.pathname.split('/').slice(1).map(decodeURIComponent);
      return handle({ method, path, query: url.searchParams, body });
    },
    errorAnswer: ({ name, message }) => ({
      headers: { 'x-amzn-errortype': name },
      body: { Message: message },
    }),
  };
}
