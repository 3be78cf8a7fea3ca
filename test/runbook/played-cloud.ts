import { readFileSync } from 'node:fs';
import type { FunctionResult } from 'stepfunctions-emulator';
import { clientsOf, SERVICES, type Service } from '../../cli/clients.ts';
import type { AnyCommand } from '../../cli/command.ts';
import { command as replay } from '../../cli/replay.ts';
import { lateMs } from '../../functions/record-metrics/metrics.ts';
import { lagOf } from '../../functions/report/lag.ts';
import type { FunctionCall } from '../../local/functions/local-functions.ts';
import { freePort } from '../../local/ports.ts';
import { serve } from '../../local/serve.ts';
import { SteppedClock } from '../../local/testing/stepped-clock.ts';
import { ALARMS, type AlarmName } from '../../stacks/config/alarms.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { Chunk, DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import { configOf } from '../support/configs.ts';
import { type ChooseEffect, startFaultProxy } from '../support/fault-proxy.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { ran } from '../support/ran.ts';

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

export type PlayedCloud = Awaited<ReturnType<typeof playedCloud>>;

type DeclaredAlarm = { readonly names: readonly string[]; readonly threshold: number | undefined };

interface Metric {
  readonly name: string;
  /** Of a histogram the largest. */
  readonly value: number;
}

/** The embedded metrics that a function printed. */
function metricsIn(line: string): Metric[] {
  if (!line.includes('"CloudWatchMetrics"')) return [];
  const document = JSON.parse(line);
  const sets = document._aws.CloudWatchMetrics as {
    readonly Metrics: readonly { readonly Name: string }[];
  }[];
  return sets
    .flatMap(({ Metrics }) => Metrics)
    .map(({ Name: name }) => ({ name, value: document[name].Max ?? Math.max(...[document[name]].flat()) }));
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

/**
 * A local deployment on a clock that goes on when it is told to, and the commands on it.
 * @param schedulerEndpoint where the commands ask for the schedule
 */
export async function playedCloud(props: PreciseTtlProps, start: number, schedulerEndpoint: string) {
  const clock = new SteppedClock(start);
  const faults: Faults = { dynamoDb: undefined, functions: undefined };
  const printed: string[] = [];
  const measured: (Metric & { readonly at: number })[] = [];
  const proxy = await startFaultProxy(dynamoDbOfFile().endpoint, call => faults.dynamoDb?.(call));
  const served = await serve({
    stack: plainStack(configOf(props)),
    dynamoDbPort: await freePort(),
    sfnPort: await freePort(),
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
    functions: {
      wrap: async (call, next) =>
        (await faults.functions?.(call)) ?? byClock(call, await next(), clock.now()),
      onLog: (_name, line) => measured.push(...metricsIn(line).map(each => ({ ...each, at: clock.now() }))),
    },
    schedules: true,
    clock,
    onExecution: ({ status }) => {
      const name = status === 'SUCCEEDED' ? 'ExecutionsSucceeded' : 'ExecutionsFailed';
      measured.push({ name, value: 1, at: clock.now() });
    },
    onScheduleError() {
      measured.push({ name: 'ApproximateNumberOfMessagesVisible', value: 1, at: clock.now() });
    },
  });
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
    AWS_ENDPOINT_URL_SFN: served.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: schedulerEndpoint,
  };
  const config = configOf(props);
  Object.assign(process.env, environment);
  const { signal } = new AbortController();
  /** Whether a metric of the alarm reached its threshold in the last minutes. */
  const reached = (alarm: AlarmName, minutes: number) => {
    const { names, threshold = lateMs({ precision: 'second' }) }: DeclaredAlarm = ALARMS[alarm];
    const since = clock.now() - minutes * MINUTE;
    return measured.some(({ name, value, at }) => at > since && names.includes(name) && value >= threshold);
  };
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
  const typed = async (command: AnyCommand, ...args: string[]) => {
    const services = Object.keys(SERVICES) as Service[];
    const clients = await clientsOf({ services, region: config.region, signal: () => signal, quick: true });
    try {
      const done = await ran(command, args, { config, clients, signal, now: () => clock.now() });
      printed.push(done.text);
      return done;
    } finally {
      clients.destroy();
    }
  };
  return {
    served,
    clock,
    faults,
    /** What the commands have printed since the play began. */
    printed,
    reached,
    async untilReached(alarm: AlarmName, mostMinutes: number) {
      for (let minutes = 1; minutes <= mostMinutes; minutes++) {
        await clock.advance(MINUTE);
        if (reached(alarm, 1)) return;
      }
      throw new Error(`${alarm}: expected its metric to reach the threshold within ${mostMinutes} minutes`);
    },
    typed,
    replay: (from: string, to: string) => whileTimePasses(typed(replay, '--from', from, '--to', to)),
    async stop() {
      for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
      await served.stop();
      await proxy.stop();
    },
  };
}
