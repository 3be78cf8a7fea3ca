import type { Execution } from '../interpreter/index.ts';
import { describeFlags } from './flags.ts';
import type { ServerOptions } from './options.ts';
import type { Served } from './serve.ts';

export const help = (): string => `npx stepfunctions-emulator [flags]

Answers the API of AWS Step Functions on this machine until Ctrl-C, for any AWS client: with the state machines of files, with
those that clients create, or with both. It prints what to paste into another terminal, and a line for every execution that has
ended. Its address in a browser is a page that shows state machines and executions. Nothing is kept afterwards.

${describeFlags()}

A module of mocks exports functions by their names. Each gets the payload and what is known of the call, and answers, or throws
an Error whose name is the name of the error:

  export const Charge = ({ amount }, { attempt }) => {
    if (attempt === 1) throw Object.assign(new Error('busy'), { name: 'CardServiceBusy' });
    return { charged: amount };
  };

Exit status: 0 stopped by Ctrl-C or SIGTERM, 1 it couldn't start, 2 wrong flags.`;

/** Text that is printed when the server has started. */
export function describeStart(
  { endpoint, stateMachines }: Served,
  { region, virtualClock }: ServerOptions,
): string {
  const machines = stateMachines.map(({ type, arn }) => `  ${type.padEnd(8)}  ${arn}`);
  const environment = {
    AWS_ENDPOINT_URL_SFN: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const [first] = stateMachines;
  return [
    `Step Functions on ${endpoint}${virtualClock ? ', on a virtual clock' : ''}:`,
    '',
    ...(machines.length > 0 ? machines : ['  no state machine yet: clients can create some']),
    '',
    `${endpoint}/ in a browser shows them and their executions.`,
    '',
    'In another terminal:',
    '',
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${value}`),
    // The variable alone would suffice, but versions of the CLI before 2.13 ignore it and would call AWS.
    ...(first === undefined
      ? []
      : [
          '',
          `aws stepfunctions start-execution --state-machine-arn ${first.arn} --input '{}' --endpoint-url "$AWS_ENDPOINT_URL_SFN"`,
        ]),
    '',
    'Each execution that ends is shown below. Ctrl-C stops.',
  ].join('\n');
}

/** Describes an execution in one line. */
export function describeExecution(execution: Execution): string {
  const { status, startDate, stopDate = startDate, machine, name } = execution;
  const time = `${new Date(stopDate).toISOString().slice(11, 19)}Z`;
  const took = `${((stopDate - startDate) / 1000).toFixed(2)} s`;
  return `${time}  ${machine.name}:${name}  ${status} in ${took}: ${cut(oneLine(resultOf(execution)))}`;
}

const RESULT_LENGTH = 300;

function resultOf({ status, outputText = '', error = 'no error name', cause }: Execution): string {
  if (status === 'SUCCEEDED') return outputText;
  return cause === undefined || cause === '' ? error : `${error}: ${messageOf(cause)}`;
}

/** The cause of a failed function is its whole error as JSON. */
function messageOf(cause: string): string {
  try {
    const { errorMessage } = JSON.parse(cause) as { errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : cause;
  } catch {
    return cause;
  }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

const cut = (text: string): string =>
  text.length > RESULT_LENGTH ? `${text.slice(0, RESULT_LENGTH)}…` : text;
