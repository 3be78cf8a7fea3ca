import type { ApiContext, HttpAnswer, HttpRequest } from '../api/context.ts';
import { ApiError } from '../api/errors.ts';
import { childrenOf } from '../api/executions.ts';
import type { Execution } from '../interpreter/index.ts';
import type {
  EventData,
  ExecutionDescription,
  ExecutionList,
  HistoryPage,
  PageExecution,
  PageMachine,
} from './data.ts';
import { eventData, pageEvent } from './events.ts';
import { PAGE, POLICY } from './html.ts';
import { pageSource } from './page-source.ts';
import { summaryOfInput } from './summary.ts';

const EVENTS_AT_ONCE = 5_000;
const DATA_AT_ONCE = 100;

/** Answers to the page's requests for data. The key is the last part of the path: `machines` for `/page/data/machines`. */
const ANSWERS: Readonly<Record<string, (context: ApiContext, query: URLSearchParams) => object>> = {
  machines: ({ stateMachines, executions }): readonly PageMachine[] =>
    stateMachines.all.map(({ arn, name, type }) => {
      const running = executions.of(arn).filter(({ execution }) => execution.status === 'RUNNING').length;
      return { arn, name, type, running };
    }),

  definition: ({ stateMachines }, query): { readonly definition: string } => ({
    definition: stateMachines.get(query.get('machine') ?? '').definitionText,
  }),

  executions({ executions }, query): ExecutionList {
    const { version } = executions;
    if (query.get('version') === String(version)) return { version };
    const machine = query.get('machine') ?? '';
    const list = executions.of(machine).map(({ execution }) => summaryOf(execution));
    return { version, executions: list };
  },

  children: ({ executions }, query): readonly PageExecution[] =>
    childrenOf(executions.mapRun(query.get('mapRun') ?? '')).map(summaryOf),

  execution({ executions }, query): ExecutionDescription {
    const { execution, started } = executions.get(query.get('arn') ?? '');
    const { inputText, outputText, machine, error, cause, forgotten } = execution;
    const parent = execution === started.execution ? undefined : parentOf(execution, executions);
    return {
      ...summaryOf(execution),
      machine: machine.name,
      machineArn: started.stateMachine.arn,
      type: machine.type,
      definition: started.stateMachine.definitionText,
      input: inputText,
      output: outputText,
      ...{ error, cause },
      parentArn: parent,
      forgotten,
    };
  },

  history({ executions, stateMachines }, query): HistoryPage {
    const { execution } = executions.get(query.get('arn') ?? '');
    const after = Number(query.get('after') ?? 0);
    const { history } = execution;
    // Event ids count from 1 without gaps, so the event with the id `after + 1` has the index `after`.
    const events = history.slice(after, after + EVENTS_AT_ONCE).map(pageEvent);
    const more = after + events.length < history.length;
    return { events, more, now: stateMachines.now, execution: summaryOf(execution) };
  },

  data({ executions }, query): readonly EventData[] {
    const { history } = executions.get(query.get('arn') ?? '').execution;
    const ids = (query.get('ids') ?? '').split(',').slice(0, DATA_AT_ONCE);
    return ids.flatMap(id => history[Number(id) - 1] ?? []).map(eventData);
  },
};

function summaryOf(execution: Execution): PageExecution {
  const { arn, name, status, startDate, stopDate } = execution;
  return { arn, name, status, startDate, stopDate, summary: summaryOfInput(execution) };
}

function parentOf({ mapRunArn }: Execution, executions: ApiContext['executions']): string | undefined {
  return mapRunArn === undefined ? undefined : executions.mapRun(mapRunArn).settings.executionArn;
}

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Browsers must not cache an answer: after a restart, the server may have other state machines and a newer page.
  'cache-control': 'no-store',
};

const FILES: Readonly<Record<string, () => Promise<{ type: string; body: string }>>> = {
  '/': async () => ({ type: 'text/html', body: PAGE }),
  '/page/script.js': async () => ({ type: 'text/javascript', body: (await pageSource()).script }),
  '/page/style.css': async () => ({ type: 'text/css', body: (await pageSource()).style }),
};

/** Whether a request is for the browser page or its data. These requests are GET; requests to the API of AWS are POST. */
export const isOfPage = ({ method }: HttpRequest): boolean => method === 'GET';

/** Answers with a file of the page or its data. @throws {ApiError} for an unknown path or ARN, and when another web site requests data */
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

/** Refuses requests of other web sites. Browsers send Sec-Fetch-Site: `same-origin` from this page, `none` for a typed address. */
function refuseOtherSites({ headers }: HttpRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ApiError(
    'AccessDeniedException',
    `Sec-Fetch-Site: expected same-origin, got ${JSON.stringify(String(site).slice(0, 100))}; the data is for the page of this server`,
    403,
  );
}
