import { awsJson, LoopbackServer, type ServerOptions } from '../loopback/index.ts';
import type { ApiContext } from './context.ts';
import { typeOf } from './errors.ts';
import { Members } from './members.ts';
import { OPERATIONS } from './operations/index.ts';

/** The port of Step Functions Local, which people have in their configurations. */
export const DEFAULT_PORT = 8083;

/** Answers the API over HTTP, to this machine only. */
export type ApiServer = LoopbackServer;

export const ApiServer = {
  /** Rejects with the system's error, e.g. EADDRINUSE, when it can't listen. */
  start: (context: ApiContext, options: ServerOptions = {}): Promise<ApiServer> =>
    LoopbackServer.start(
      awsJson({
        target: 'AWSStepFunctions',
        operations: OPERATIONS,
        call: (operation, fields) => operation(context, new Members(fields)),
        typeOf,
      }),
      options,
    ),
};
