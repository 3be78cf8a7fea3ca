import { awsJson, type HttpProtocol, LoopbackServer, type ServerOptions } from '../loopback/index.ts';
import { answerPage, isOfPage } from '../page/routes.ts';
import type { ApiContext } from './context.ts';
import { typeOf } from './errors.ts';
import { Members } from './members.ts';
import { OPERATIONS } from './operations/index.ts';

/** The port of Step Functions Local, which many configurations contain. */
export const DEFAULT_PORT = 8083;

/** Serves the API over HTTP, on this machine only, and shows a page at its address. */
export type ApiServer = LoopbackServer;

export const ApiServer = {
  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  start: (context: ApiContext, options: ServerOptions = {}): Promise<ApiServer> =>
    LoopbackServer.start(withPage(context, stepFunctions(context)), options),
};

const stepFunctions = (context: ApiContext): HttpProtocol =>
  awsJson({
    target: 'AWSStepFunctions',
    operations: OPERATIONS,
    call: (operation, fields) => operation(context, new Members(fields)),
    typeOf,
  });

/** The API, and the page for people who open its address in a browser. */
const withPage = (context: ApiContext, api: HttpProtocol): HttpProtocol => ({
  ...api,
  answer: request => (isOfPage(request) ? answerPage(context, request) : api.answer(request)),
});
