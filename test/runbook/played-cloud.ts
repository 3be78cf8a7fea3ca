import type { FunctionResult } from 'stepfunctions-emulator';
import { runAudit } from '../../cli/audit/job.ts';
import { type AuditReport, auditReport } from '../../cli/audit/report.ts';
import { readAuditSpan } from '../../cli/audit/span.ts';
import { describeAudit } from '../../cli/audit/text.ts';
import { operatingClients } from '../../cli/aws/operating-clients.ts';
import { stepFunctionsClient } from '../../cli/aws/step-functions.ts';
import { deploymentClients } from '../../cli/deployment/clients.ts';
import { runDoctor } from '../../cli/doctor/job.ts';
import { describeReport } from '../../cli/doctor/text.ts';
import { runHistory } from '../../cli/history/job.ts';
import { describeHistory } from '../../cli/history/text.ts';
import { describeChange } from '../../cli/local-rehearsal.ts';
import { describeAlarm } from '../../cli/local-text.ts';
import { pauseTables } from '../../cli/pause/job.ts';
import { runReplay } from '../../cli/replay/job.ts';
import { resumeTables } from '../../cli/resume/job.ts';
import { statusJob } from '../../cli/status/job.ts';
import { type StatusReport, statusReport } from '../../cli/status/report.ts';
import { describeStatus } from '../../cli/status/text.ts';
import { type AlarmName, kebab } from '../../config/alarms.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { lagOf } from '../../functions/report/lag.ts';
import { type ChooseFault, startFaultProxy } from '../../lab/faults/index.ts';
import type { FunctionCall } from '../../local/functions/local-functions.ts';
import type { RehearsalOptions } from '../../local/rehearsal.ts';
import { type ServedCloud, type ServeOptions, serve } from '../../local/serve.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { Chunk, DeleteChunkInput } from '../../statemachine/contract.ts';
import { SteppedClock } from '../../testing/stepped-clock.ts';
import { freePort } from '../support/free-port.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';
import { configOf } from '../support/synthesized.ts';

const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** Faults that a play makes; undefined lets a call through. */
export interface Faults {
  dynamoDb: ChooseFault | undefined;
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
  status(): Promise<{ readonly text: string; readonly verdict: string; readonly report: StatusReport }>;
  history(options?: { readonly failed?: boolean }): Promise<string>;
  doctor(): Promise<string>;
  /** Of deletions since then. @param from ISO-8601 */
  audit(from: string): Promise<{ readonly text: string; readonly report: AuditReport }>;
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

/**
 * @param rehearsal what `--break` and `--for` say
 * @param streams who reads the stream, and what becomes of it
 */
export async function playedCloud(
  props: PreciseTtlProps,
  start: number,
  rehearsal?: RehearsalOptions,
  streams: Pick<ServeOptions, 'mappings' | 'services'> = {},
): Promise<PlayedCloud> {
  const clock = new SteppedClock(start);
  const faults: Faults = { dynamoDb: undefined, functions: undefined };
  const printed: string[] = [];
  const proxy = await startFaultProxy({
    target: dynamoDbOfFile().endpoint,
    choose: call => faults.dynamoDb?.(call),
  });
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
    ...streams,
    rehearsal: rehearsal && {
      ...rehearsal,
      onChange: (changed, error) => printed.push(describeChange(changed, clock.now(), error)),
    },
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
  const connectReplay = (region: string) => stepFunctionsClient(region, environment);
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
  /** What a command prints line by line. */
  const collected = async (run: (print: (text: string) => void) => Promise<unknown>) => {
    const lines: string[] = [];
    await whileTimePasses(run(line => lines.push(line)));
    return said(lines.join('\n'));
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
    async status() {
      const job = statusJob({ ...shared, back: undefined, connect });
      try {
        const status = await job.look();
        const report = statusReport(status);
        return { text: said(describeStatus(status)), verdict: status.verdict, report };
      } finally {
        job.destroy();
      }
    },
    async history({ failed = false } = {}) {
      const history = await runHistory({
        ...shared,
        failed,
        sinceMs: 60 * MINUTE,
        limit: 100,
        connect: region => operatingClients(region, environment),
      });
      return said(history ? describeHistory(history, { mask: false }) : '');
    },
    async doctor() {
      const report = await runDoctor({
        ...shared,
        full: false,
        rate: 100,
        segments: 1,
        mask: false,
        connect,
      });
      return said(report ? describeReport(report) : '');
    },
    async audit(from) {
      const now = clock.now();
      const audit = await runAudit({
        ...shared,
        span: readAuditSpan(from, undefined, now),
        mostKeys: Number.POSITIVE_INFINITY,
        connect: region => operatingClients(region, environment),
        now,
        onHour() {},
      });
      if (audit === undefined) throw new Error('the audit was interrupted');
      const text = said(describeAudit(audit, { mask: false, now }));
      return { text, report: auditReport(audit, { mask: false }) };
    },
    pause: () =>
      collected(print =>
        pauseTables({
          ...shared,
          forMs: undefined,
          resultFile: undefined,
          connect: region => operatingClients(region, environment),
          confirm: async () => true,
          print,
        }),
      ),
    resume: () =>
      collected(print =>
        resumeTables({
          ...shared,
          replay: true,
          dryRun: false,
          resultFile: undefined,
          connect: region => operatingClients(region, environment),
          connectReplay,
          confirm: async () => true,
          print,
        }),
      ),
    replay: (from, to) =>
      collected(print =>
        runReplay({
          ...shared,
          from,
          to,
          dryRun: false,
          splitMinutes: 60,
          concurrency: 4,
          maxPerSecond: undefined,
          label: undefined,
          resultFile: undefined,
          connect: connectReplay,
          confirm: async () => true,
          now: clock.now(),
          print,
          onPiece: () => {},
        }),
      ),
    async stop() {
      await served.stop();
      await proxy.stop();
    },
  };
}
