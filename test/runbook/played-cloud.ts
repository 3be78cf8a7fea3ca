import { readFileSync } from 'node:fs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FunctionResult } from 'stepfunctions-emulator';
import { type Clients, NoAnswerError, SERVICES, type Service } from '../../cli/clients.ts';
import type { AnyCommand } from '../../cli/command.ts';
import { command as doctor } from '../../cli/doctor.ts';
import { describeAlarm } from '../../cli/local/text.ts';
import type { Plan, Session } from '../../cli/operation.ts';
import { command as pause } from '../../cli/pause.ts';
import { planReplay } from '../../cli/replay.ts';
import { command as resume } from '../../cli/resume.ts';
import { command as status } from '../../cli/status.ts';
import { type AlarmName, kebab } from '../../config/alarms.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { lagOf } from '../../functions/report/lag.ts';
import type { FunctionCall } from '../../local/functions/local-functions.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { clientsOf } from '../../operate/aws/clients.ts';
import { deploymentClients } from '../../operate/deployment/clients.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import { SteppedClock } from '../../testing/stepped-clock.ts';
import { configOf } from '../support/configs.ts';
import { type ChooseEffect, startFaultProxy } from '../support/fault-proxy.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { freePort } from '../support/ports.ts';
import { type Ran, ran } from '../support/ran.ts';
import { carriedOut, sessionOf } from '../support/session.ts';

const RUNBOOK = 'docs/reference/alarms.md';

/** The sections of the runbook by their headings. */
export function runbookSections(): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(RUNBOOK, 'utf8').split(/^## /m);
  return new Map(sections.map(text => [text.slice(0, text.indexOf('\n')), text]));
}

/** Blocks without a language are what was printed; `…` stands for lines that are left out. */
function shownIn(section: string): string[] {
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, language]) => language === '')
    .flatMap(([, , block = '']) => block.split('\n'))
    .filter(line => line.trim() !== '' && line.trim() !== '…');
}

/** Times, numbers and made-up names differ from run to run. */
const invariant = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4,12}){2,}/g, 'NAME')
    .replaceAll(/\d[\d.,:]*/g, '0')
    .replaceAll(/ +/g, ' ');

/** The lines that a section shows and that were not printed. One that ends with ` …` shows the beginning of a line. */
export function notPrinted(heading: string, printed: readonly string[]): string[] {
  const section = runbookSections().get(heading);
  if (section === undefined) throw new Error(`${RUNBOOK} has no section ${heading}`);
  const lines = printed.flatMap(text => text.split('\n')).map(invariant);
  const shown = shownIn(section);
  if (shown.length === 0) throw new Error(`${RUNBOOK}: the section ${heading} shows nothing`);
  return shown.filter(line => {
    const [wanted = '', ...more] = invariant(line).split(' …');
    return !lines.some(each => (more.length === 0 ? each === wanted : each.startsWith(wanted)));
  });
}

const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** Faults that a play makes; undefined lets a call through. */
export interface Faults {
  dynamoDb: ChooseEffect | undefined;
  functions: ((call: FunctionCall) => Promise<FunctionResult | undefined>) | undefined;
}

/** A local deployment on a clock that goes on when it is told to, and the commands on it. */
export interface PlayedCloud {
  readonly served: ServedCloud;
  readonly clock: SteppedClock;
  readonly faults: Faults;
  /** What the terminal and the commands have printed since the play began. */
  readonly printed: string[];
  isSounding(alarm: AlarmName): boolean;
  /** Lets minutes pass until an alarm sounds, or is silent. @returns how many minutes @throws when it does not in time */
  until(alarm: AlarmName, sounds: boolean, mostMinutes: number): Promise<number>;
  status(): Promise<Pick<Ran, 'text' | 'exit'>>;
  history(): Promise<string>;
  doctor(): Promise<string>;
  pause(): Promise<string>;
  resume(): Promise<string>;
  /** @param from, to ISO-8601 */
  replay(from: string, to: string): Promise<string>;
  stop(): Promise<void>;
}

/** A function measures the lag by the wall clock. Here it is by the clock of the play, as long as a chunk has one item. */
function byClock(
  { functionName, payload }: FunctionCall,
  result: FunctionResult,
  now: number,
): FunctionResult {
  if (!functionName.endsWith('-delete-chunk') || !result.ok) return result;
  const [expired] = (payload as DeleteChunkInput).chunk.keys;
  const chunk = result.payload as Chunk;
  if (chunk.progress === null) return result;
  const lag = lagOf(expired === undefined || chunk.progress.deleted === 0 ? [] : [expired.ttl], now);
  return { ...result, payload: { ...chunk, progress: { ...chunk.progress, ...lag } } };
}

export async function playedCloud(props: PreciseTtlProps, start: number): Promise<PlayedCloud> {
  const clock = new SteppedClock(start);
  const faults: Faults = { dynamoDb: undefined, functions: undefined };
  const printed: string[] = [];
  const proxy = await startFaultProxy(dynamoDbOfFile().endpoint, call => faults.dynamoDb?.(call));
  const served = await serve({
    stack: plainStack(configOf(props)),
    dynamoDbPort: await freePort(),
    sfnPort: await freePort(),
    schedulerPort: await freePort(),
    cloudWatchPort: await freePort(),
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
    functions: {
      wrap: async (call, next) =>
        (await faults.functions?.(call)) ?? byClock(call, await next(), clock.now()),
    },
    schedules: true,
    clock,
    onExecution: () => {},
    onScheduleError: error => printed.push(`Not started: ${error instanceof Error ? error.message : error}`),
    onAlarm: seen => printed.push(describeAlarm(seen)),
  });
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: served.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: served.schedulerEndpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH: served.cloudWatchEndpoint,
  };
  const config = configOf(props);
  const { signal } = new AbortController();
  const shared = { config, table: undefined, now: () => clock.now(), signal };
  const connect = (region: string) => deploymentClients(region, environment);
  const said = (text: string) => {
    printed.push(text);
    return text;
  };
  const isSounding = (alarm: AlarmName) =>
    served.cloudWatch.alarms.some(
      ({ alarm: { name }, state }) =>
        state === 'ALARM' && name === `${props.sweep ?? 'precise-ttl'}-${kebab(alarm)}`,
    );
  /** The commands wait by real timers for executions that wait by the clock. */
  const whileTimePasses = async <T>(work: Promise<T>): Promise<T> => {
    let ended = false;
    const done = work.finally(() => {
      ended = true;
    });
    while (!ended) {
      await clock.advance(SECOND);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    return done;
  };
  /** What a command that changes something prints. */
  const operated = async (plan: (session: Session) => Promise<Plan<object>>) => {
    const clients = clientsOf(shared.config.region, environment, { first: 'DYNAMODB' });
    const session = sessionOf(clients);
    await whileTimePasses(plan(session).then(planned => carriedOut(planned, session)));
    clients.destroy();
    return said(session.printed.join('\n'));
  };
  const typed = async (command: AnyCommand, ...args: string[]) => {
    const others = connect(config.region);
    const documents = DynamoDBDocumentClient.from(others.dynamoDb as DynamoDBClient, {
      unmarshallOptions: { wrapNumbers: true },
    });
    // What is not on this machine, as it is in the commands.
    const absent = (service: Service) => ({
      send: () => Promise.reject(new NoAnswerError(`${SERVICES[service].title} is not on this machine`)),
    });
    const here = Object.fromEntries(Object.entries(others).filter(([, client]) => client !== undefined));
    const away = { sqs: absent('SQS'), lambda: absent('LAMBDA') };
    const clients = { ...away, ...here, documents } as unknown as Clients;
    try {
      const done = await ran(command, args, { ...shared, clients });
      said(done.text);
      return done;
    } finally {
      others.destroy();
    }
  };
  return {
    served,
    clock,
    faults,
    printed,
    isSounding,
    async until(alarm, sounds, mostMinutes) {
      for (let minutes = 0; minutes <= mostMinutes; minutes++) {
        if (isSounding(alarm) === sounds) return minutes;
        await clock.advance(MINUTE);
      }
      throw new Error(`${alarm}: expected it to ${sounds ? 'sound' : 'end'} within ${mostMinutes} minutes`);
    },
    status: () => typed(status),
    history: async () => (await typed(status, '--history')).text,
    doctor: async () => (await typed(doctor)).text,
    pause: async () => (await typed(pause)).text,
    resume: async () => (await typed(resume)).text,
    replay: (from, to) => operated(session => planReplay({ ...shared, from, to, splitMinutes: 60 }, session)),
    async stop() {
      await served.stop();
      await proxy.stop();
    },
  };
}
