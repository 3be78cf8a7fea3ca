import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type ApiContext,
  ApiServer,
  DEFAULT_PORT,
  Executions,
  nestedExecutions,
  StateMachines,
} from '../api/index.ts';
import type { NewStateMachine } from '../api/state-machines.ts';
import { realClock } from '../clock.ts';
import { EmulatorError } from '../errors.ts';
import { Engine, type FunctionInvoker, loadDefinition } from '../interpreter/index.ts';
import { PLACE, ROLE_ARN, stateMachineArn } from '../made-up.ts';
import { failureOf } from '../testing/mock.ts';

const HELP = `npx stepfunctions-emulator --definition FILE [--definition FILE …] [--type EXPRESS] [--functions FILE] [--port N]

Answers the API of AWS Step Functions on 127.0.0.1 until Ctrl-C, for any AWS client, and shows a page in a browser.

  --definition FILE  a state machine, named after the file; as often as needed
  --type TYPE        of all of them: STANDARD (the default) or EXPRESS
  --functions FILE   a module that exports functions by their names; each gets the payload and answers, or throws
  --port N           default ${DEFAULT_PORT}; 0 for a free one`;

class StartError extends EmulatorError {
  override readonly name = 'StartError';
}

/** Runs the command `stepfunctions-emulator`: a server until SIGINT or SIGTERM. The exit status is 1 if the server can't start. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const { values } = readFlags(args);
    if (values.help === true) console.log(HELP);
    else await serve(values);
  } catch (error) {
    // The user can correct an EmulatorError: the message is enough. Any other error is a bug of the emulator, and Node prints the stack.
    if (!(error instanceof EmulatorError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function readFlags(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        definition: { ...text, multiple: true },
        type: text,
        functions: text,
        port: text,
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new StartError(`${(error as Error).message}; see --help`);
  }
}

async function serve(flags: ReturnType<typeof readFlags>['values']): Promise<void> {
  const stateMachines = new StateMachines(realClock.now);
  for (const file of flags.definition ?? []) stateMachines.create(machineOf(file, flags.type ?? 'STANDARD'));
  const engine = new Engine({
    clock: realClock,
    invoker: invokerOf(flags.functions === undefined ? {} : await load(flags.functions)),
    resources: nestedExecutions(() => context),
  });
  const executions = new Executions(engine);
  const context: ApiContext = { stateMachines, executions, ...PLACE };
  const port = Number(flags.port ?? DEFAULT_PORT);
  const { endpoint } = await ApiServer.start(context, { port }).catch(({ message }: Error) => {
    throw new StartError(`--port ${flags.port ?? port}: ${message}; choose a free one`);
  });
  // Without `process.exit`, the server and the timers of waiting executions would keep the process alive.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  console.log(`Step Functions, and a page that shows what runs: ${endpoint}

${stateMachines.all.map(({ type, arn }) => `  ${type.padEnd(8)}  ${arn}`).join('\n')}

In another terminal:

export AWS_ENDPOINT_URL_SFN=${endpoint}
export AWS_REGION=${PLACE.region}
export AWS_ACCESS_KEY_ID=local
export AWS_SECRET_ACCESS_KEY=local

Ctrl-C stops.`);
}

function machineOf(file: string, type: string): NewStateMachine {
  if (type !== 'STANDARD' && type !== 'EXPRESS') {
    throw new StartError(`--type: expected STANDARD or EXPRESS, got "${type}"`);
  }
  try {
    const definitionText = readFileSync(file, 'utf8');
    const name = basename(file).replace(/(\.asl)?\.json$|\.asl$/, '');
    return {
      arn: stateMachineArn(name),
      name,
      type,
      roleArn: ROLE_ARN,
      definitionText,
      definition: loadDefinition(definitionText, type),
    };
  } catch (error) {
    throw new StartError(`--definition ${file}: ${(error as Error).message}`);
  }
}

function invokerOf(functions: Readonly<Record<string, unknown>>): FunctionInvoker {
  return {
    async invoke(functionArn, payload) {
      const mock = functions[functionArn.split(':')[6] ?? ''];
      if (typeof mock !== 'function') {
        const errorMessage = `Function not found: ${functionArn} (--functions: ${Object.keys(functions).join(', ') || 'none'})`;
        return { ok: false, errorType: 'Lambda.ResourceNotFoundException', errorMessage };
      }
      try {
        return { ok: true, payload: await mock(payload) };
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

async function load(module: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(module)).href);
  } catch (error) {
    throw new StartError(`--functions ${module}: ${(error as Error).message}`);
  }
}
