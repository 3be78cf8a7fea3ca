/** `npm run bench status`: compares `status` with a scan of the table, under many faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { startOrAttachDynamoDb } from 'aws-on-loopback/dynamodb/dynamodb-local';
import { MINUTES, RATE } from '../../cli/flags.ts';
import { describeStatus } from '../../cli/status/text.ts';
import { modelOf } from '../../config/model-of.ts';
import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { INDEX_SECONDS, journalName } from '../../functions/journal/layout.ts';
import { limitTable, pauseTable, resumeTable } from '../../functions/journal/operator-settings.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { type ServedCloud, serve } from '../../local/serve.ts';
import { deploymentClients } from '../../operate/deployment/clients.ts';
import { type StatusJob, statusJob } from '../../operate/status/status.ts';
import { statusReport } from '../../operate/status/to-report.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { type ChooseFault, startFaultProxy, throttledByCapacity, WriteCapacity } from '../faults/index.ts';
import {
  type Counted,
  countedBy,
  type Deeds,
  type During,
  falseCause,
  falseStatements,
  falseTrend,
  type JudgedLook,
  type SeenItem,
  type TableScan,
  type Trouble,
} from './status/oracle.ts';
import { defineExperiment, markdownTable, seconds } from './support/experiment.ts';

interface StatusRun {
  readonly minutes: number;
  /** Items that expire each second. */
  readonly rate: number;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** Environment variables with DynamoDB's endpoint. @default a DynamoDB Local of its own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

interface StatusResult {
  readonly phases: readonly PhaseResult[];
  readonly problems: readonly string[];
}

export default defineExperiment({
  name: 'status',
  about: `
Looks at a table once a second as precise-ttl status does, while items expire, the local cloud sweeps them, and DynamoDB Local
is made to throttle the deletes, to hang, to die and to throttle the queries, and the table is paused, limited and resumed. Before
and after each look the table itself is scanned. What status says is held against that, and against what was done.`,
  flags: {
    minutes: { ...MINUTES, default: 10, help: 'how long it looks; each phase takes its part of that' },
    rate: { ...RATE, default: 10, help: 'items that expire each second' },
  },
  holds: 'nothing false was said, and no look took longer than 15 seconds',
  async run({ flags, print, signal }) {
    const { phases, problems } = await runStatus({ ...flags, print, signal });
    const slow = phases.flatMap(({ phase, tookMs }) =>
      tookMs.filter(ms => ms > MAX_MS).map(ms => `${phase}: a look took ${seconds(ms)} s`),
    );
    return {
      text: resultTable(phases),
      result: { phases: phases.map(phase => ({ ...phase, tookMs: took(phase) })) },
      problems: [...problems, ...slow],
    };
  },
});

/** A phase of the run. */
interface Phase {
  readonly name: string;
  /** Share of the phase in the whole time, 0 to 1. */
  readonly share: number;
  readonly trouble: Trouble;
  readonly paused: boolean;
  /** Deletes per second as a share of the expiring items; undefined: no limit. */
  readonly limit?: number;
}

const WELL = { trouble: 'none', paused: false } as const;

/** Phases of the run. After each failure the sweep has time to catch up. */
const PHASES: readonly Phase[] = [
  { name: 'nothing wrong', share: 0.12, ...WELL },
  { name: 'deletes throttled', share: 0.2, ...WELL, trouble: 'deletesThrottled' },
  { name: 'after it', share: 0.08, ...WELL },
  { name: 'DynamoDB hangs', share: 0.08, ...WELL, trouble: 'hangs' },
  { name: 'it answers again', share: 0.08, ...WELL },
  { name: 'DynamoDB is dead', share: 0.08, ...WELL, trouble: 'dead' },
  { name: 'it is back', share: 0.08, ...WELL },
  { name: 'queries throttled', share: 0.04, ...WELL, trouble: 'queriesThrottled' },
  { name: 'paused', share: 0.1, ...WELL, paused: true },
  { name: 'limited to half', share: 0.08, ...WELL, limit: 0.5 },
  { name: 'limited to four times', share: 0.04, ...WELL, limit: 4 },
  { name: 'no limit', share: 0.02, ...WELL },
];

/** Results of a phase. */
interface PhaseResult {
  readonly phase: string;
  looks: number;
  /** Number of reports with a false statement. */
  falseStatements: number;
  falseCauses: number;
  /** Number of reports whose `overdue` was a number, and of those with a lower bound and its reason. */
  exact: number;
  lowerBounds: number;
  /** Number of reports with a trend of the overdue items, and how many trends were wrong. */
  trends: number;
  falseTrends: number;
  /** Number of reports with each cause in the first line. */
  readonly causes: Record<string, number>;
  readonly tookMs: number[];
}

/** Limit for the duration of a report, milliseconds. */
const MAX_MS = 15_000;

function noResult({ name }: Phase): PhaseResult {
  const said = { falseStatements: 0, falseCauses: 0, exact: 0, lowerBounds: 0, trends: 0, falseTrends: 0 };
  return { phase: name, looks: 0, ...said, causes: {}, tookMs: [] };
}

/** Durations of the reports of a phase, milliseconds. */
function took({ tookMs }: PhaseResult): { readonly p50: number; readonly max: number } {
  const sorted = tookMs.toSorted((one, other) => one - other);
  return { p50: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

function resultTable(phases: readonly PhaseResult[]): string {
  const head = ['phase', 'looks', 'false statements', 'false causes', 'overdue exact', 'lower bounds'];
  const rows = phases.map(phase => {
    const { p50, max } = took(phase);
    const causes = Object.entries(phase.causes).map(([id, looks]) => `${id} ${looks}`);
    return [
      phase.phase,
      ...[phase.looks, phase.falseStatements, phase.falseCauses, phase.exact, phase.lowerBounds].map(String),
      `${phase.falseTrends} of ${phase.trends}`,
      ...[p50, max].map(seconds),
      causes.join(', ') || '–',
    ];
  });
  return markdownTable([...head, 'false rates', 'look p50, s', 'max, s', 'causes'], rows);
}

const TABLE = { tableName: 'StatusBench', partitionKey: 'id' } as const;
const CONFIG = { region: 'us-east-1', tables: [TABLE] };

/** One in this number of items is written five seconds before it expires. */
const SHORT_LIVED = 20;

/** One in this number of reports comes from a new process, which knows no earlier reports. */
const FRESH = 10;

/** Share of the expiring items that can be deleted while deletes are throttled. */
const THROTTLED_SHARE = 0.5;

/** Longest extension of a phase by reports on a DynamoDB that hangs, seconds. */
const AFTER_SECONDS = 60;

/** Number of items that expired half an hour ago and are written in the middle of a phase. */
const STRAGGLERS = 3;

/** Calls `status` once a second while the table is swept under many faults, and scans the table itself to compare. */
export async function runStatus(options: StatusRun): Promise<StatusResult> {
  const { environment = {} } = options;
  const dynamoDb = await startOrAttachDynamoDb(environment, { longRun: true });
  const client = localDynamoDb(dynamoDb.endpoint, CONFIG.region);
  const gate = gateOf(options.rate);
  const proxy = await startFaultProxy({ target: dynamoDb.endpoint, choose: gate.choose });
  let served: ServedCloud | undefined;
  try {
    served = await serve({
      stack: plainStack(CONFIG),
      dynamoDbPort: 0,
      sfnPort: 0,
      schedulerPort: 0,
      cloudWatchPort: 0,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
      schedules: true,
      onScheduleError: () => undefined,
      onExecution: ({ status }) => {
        if (status !== 'SUCCEEDED') gate.deeds.failures.push(Date.now());
      },
    });
    return await looksAt(served, DynamoDBDocumentClient.from(client), gate, options);
  } finally {
    gate.be('none');
    await served?.stop();
    await proxy.stop();
    client.destroy();
    await dynamoDb.stop();
  }
}

interface Gate {
  readonly choose: ChooseFault;
  readonly deeds: {
    -readonly [Name in keyof Deeds]: Deeds[Name] extends readonly (infer One)[] ? One[] : Deeds[Name];
  };
  be(trouble: Trouble): void;
}

/** Chooses the faults of the current phase, for the proxy through which all other clients call DynamoDB. */
function gateOf(rate: number): Gate {
  let trouble: Trouble = 'none';
  let answers = Promise.withResolvers<void>();
  const capacity = new WriteCapacity({ unitsPerSecond: 2 * rate * THROTTLED_SHARE });
  const throttle = throttledByCapacity(capacity);
  const deeds: Gate['deeds'] = {
    troubles: [],
    pauses: [],
    limits: [],
    throttled: [],
    rate,
    writtenLate: new Set(),
    failures: [],
    ticks: new Set(),
  };
  return {
    deeds,
    be(next) {
      if (next === trouble) return;
      end(deeds.troubles);
      trouble = next;
      answers.resolve();
      answers = Promise.withResolvers();
      if (next !== 'none') deeds.troubles.push({ what: next, from: Date.now() });
    },
    choose: call => {
      if (trouble === 'dead') return { name: 'cutBefore', effect: { kind: 'cutBefore' } };
      if (trouble === 'hangs') {
        const { promise } = answers;
        return { name: 'cutBefore', effect: { kind: 'cutBefore' }, before: () => promise };
      }
      const isOfTable = JSON.stringify(call.body).includes(TABLE.tableName);
      if (
        trouble === 'queriesThrottled' &&
        call.operation === 'Query' &&
        call.body['IndexName'] !== undefined
      ) {
        const error = 'ProvisionedThroughputExceededException';
        return { name: 'throttled', effect: { kind: 'refuse', error, status: 400 } };
      }
      if (trouble !== 'deletesThrottled' || call.operation !== 'BatchExecuteStatement' || !isOfTable)
        return undefined;
      const fault = throttle(call);
      const keys = fault?.effect.kind === 'leaveOut' ? fault.effect.errors.size : 0;
      for (let key = 0; key < keys; key += 1) deeds.throttled.push(Date.now());
      return fault;
    },
  };
}

function end<What>(all: During<What>[]): void {
  const last = all.at(-1);
  if (last !== undefined) last.to ??= Date.now();
}

async function looksAt(
  served: ServedCloud,
  documents: DynamoDBDocumentClient,
  gate: Gate,
  { minutes, rate, print, signal }: StatusRun,
): Promise<StatusResult> {
  const { deeds } = gate;
  const { tableName } = TABLE;
  const { sweep } = resolveProps(TABLE);
  const journal = { documents, tableName: journalName(sweep) };
  const now = () => Math.floor(Date.now() / 1000);
  const totalMs = minutes * 60_000;

  // The items expire from this time until the end. It leaves time for a first tick, and for an index scan up to that tick's lookback.
  const firstTtl = now() + 16;
  const seconds = Math.ceil(totalMs / 1000) + AFTER_SECONDS;
  const all = Array.from({ length: seconds * rate }, (_unused, index) => ({
    id: `item-${index}`,
    ttl: firstTtl + Math.floor(index / rate),
  }));
  const isShort = (_item: SeenItem, index: number) => index % SHORT_LIVED === 0;
  await put(
    documents,
    all.filter((item, index) => !isShort(item, index)),
  );
  served.cloud.startExecution(sweep, {
    scheduledTime: new Date(Math.floor(now() / 60) * 60_000).toISOString(),
  });
  await sleep(INDEX_SECONDS * 1000 + 500);
  await served.cloud.startExecution(replayName(sweep), { table: tableName, scanIndex: true }).done;
  await sleep(Math.max(0, firstTtl * 1000 - Date.now()));

  const stop = new AbortController();
  const short = all.filter(isShort);
  const writing = repeat(200, stop.signal, async () => {
    const due = short.filter(({ ttl }) => ttl - 5 <= now());
    await put(documents, short.splice(0, due.length));
  });
  const watching = repeat(250, stop.signal, async () => {
    const { tick } = (await readState(journal)).watermarks;
    if (tick !== undefined) (deeds.ticks as Set<number>).add(Date.parse(tick));
  });
  const connect = (region: string) =>
    deploymentClients(region, {
      AWS_ENDPOINT_URL_DYNAMODB: served.dynamoDbEndpoint,
      AWS_ENDPOINT_URL_SFN: served.endpoint,
      AWS_ENDPOINT_URL_SCHEDULER: served.schedulerEndpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: served.cloudWatchEndpoint,
    });
  const job = () => statusJob({ config: CONFIG }, connect);
  const watch = job();

  const results: PhaseResult[] = [];
  const problems: string[] = [];
  const counts: Counted[] = [];
  let looks = 0;
  const lookOnce = async (phase: Phase, result: PhaseResult): Promise<void> => {
    looks += 1;
    const isFresh = looks % FRESH === 0;
    const used: StatusJob = isFresh ? job() : watch;
    const before = await scanTable(documents);
    const beganAt = performance.now();
    const status = await used.look().finally(() => isFresh && used.destroy());
    const tookMs = performance.now() - beganAt;
    const after = await scanTable(documents);
    const [report] = statusReport(status).tables;
    if (report === undefined) throw new TypeError('expected a report of the table');
    const look: JudgedLook = { report, before, after };
    counts.push(countedBy(look));
    const said = falseStatements(look, deeds);
    const cause = falseCause(look, deeds);
    const trend = isFresh ? undefined : falseTrend(look, counts);
    result.looks += 1;
    result.tookMs.push(Math.round(tookMs));
    if (said.length > 0) result.falseStatements += 1;
    if (cause !== undefined) result.falseCauses += 1;
    if (report.overdue?.items != null) result[report.overdue.atLeast ? 'lowerBounds' : 'exact'] += 1;
    if (report.overdue?.trend) result.trends += 1;
    if (trend !== undefined) result.falseTrends += 1;
    if (report.cause !== null) result.causes[report.cause.id] = (result.causes[report.cause.id] ?? 0) + 1;
    const wrong = [...said, cause, trend].filter(problem => problem !== undefined);
    for (const problem of wrong) problems.push(`${phase.name}, ${new Date().toISOString()}: ${problem}`);
    if (wrong.length > 0 || result.looks === 1 || looks % 30 === 0) print(describeStatus(status));
  };

  try {
    for (const phase of PHASES) {
      const result = noResult(phase);
      results.push(result);
      const endsAt = Date.now() + phase.share * totalMs;
      const middle = Date.now() + (phase.share * totalMs) / 2;
      print(`\n== ${phase.name}, from ${new Date().toISOString()}`);
      await begin(phase, gate, journal, rate);
      let hasStragglers = false;
      do {
        const next = Date.now() + 1_000;
        if (!hasStragglers && Date.now() > middle) {
          hasStragglers = true;
          await putStragglers(documents, phase, now(), deeds.writtenLate as Set<string>);
        }
        await lookOnce(phase, result);
        await sleep(Math.max(0, Math.min(next, endsAt) - Date.now()));
      } while (Date.now() < endsAt && !signal.aborted);
      if (signal.aborted) break;
    }
  } finally {
    stop.abort();
    await Promise.all([writing, watching]);
    watch.destroy();
  }
  return { phases: results, problems };
}

/** Ends the fault of the previous phase, and begins the fault of this one. */
async function begin(
  { trouble, paused, limit }: Phase,
  gate: Gate,
  journal: Parameters<typeof pauseTable>[0],
  rate: number,
): Promise<void> {
  const { deeds } = gate;
  const { tableName } = TABLE;
  if (paused) {
    deeds.pauses.push({ what: true, from: Date.now() });
    await pauseTable(journal, tableName, { since: new Date().toISOString() });
  } else {
    await resumeTable(journal, tableName, Date.now());
    end(deeds.pauses);
  }
  if (limit !== undefined) deeds.limits.push({ what: limit * rate, from: Date.now() });
  await limitTable(journal, tableName, limit === undefined ? undefined : limit * rate);
  const others = limit === undefined ? deeds.limits : deeds.limits.slice(0, -1);
  end(others);
  gate.be(trouble);
}

async function putStragglers(
  documents: DynamoDBDocumentClient,
  { name }: Phase,
  now: number,
  writtenLate: Set<string>,
): Promise<void> {
  for (let index = 0; index < STRAGGLERS; index += 1) {
    const id = `straggler ${name} ${index}`;
    writtenLate.add(id);
    await put(documents, [{ id, ttl: now - 1_800 - index }]);
  }
}

async function put(documents: DynamoDBDocumentClient, items: readonly SeenItem[]): Promise<void> {
  const model = modelOf(TABLE);
  const made = items.map(({ id, ttl }) => ({
    id,
    ...expiryAttributes(model, { id }, { expiresAt: ttl, nowMs: (ttl - 5) * 1000 }),
  }));
  const [only] = made;
  if (only !== undefined && made.length === 1) {
    await documents.send(new PutCommand({ TableName: TABLE.tableName, Item: only }));
    return;
  }
  for (let first = 0; first < made.length; first += 25) {
    const requests = made.slice(first, first + 25).map(Item => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [TABLE.tableName]: requests } }));
  }
}

/** Scans the table directly, without the faults of the other clients' calls. */
async function scanTable(documents: DynamoDBDocumentClient): Promise<TableScan> {
  const { ttlAttribute } = modelOf(TABLE);
  const from = Date.now();
  const items = new Map<string, SeenItem>();
  const pages = paginateScan({ client: documents }, { TableName: TABLE.tableName, ConsistentRead: true });
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const id = String(item['id']);
      items.set(id, { id, ttl: Number(item[ttlAttribute]) });
    }
  }
  return { from, to: Date.now(), items };
}

async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(everyMs);
  }
}
