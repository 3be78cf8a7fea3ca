import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  paginateListStateMachines,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { kind, text, whole } from '../expiry/fields.ts';
import { readReplayInput } from '../functions/plan-sweep/sweep-input.ts';
import { readExecutionReport } from '../functions/report/sweep-totals.ts';
import type { InvalidExecutionInputError } from '../functions/runtime/errors.ts';
import { replayName } from '../stacks/config/names.ts';
import type { ReplayInput } from '../statemachine/contract/inputs.ts';
import { MAX_DELETES_PER_SECOND } from '../statemachine/contract/limits.ts';
import {
  addCounts,
  COUNT_LIST,
  type COUNTS,
  type CountName,
  countEach,
  noCounts,
  wordsOf,
} from '../statemachine/counts.ts';
import { noneIfMissing } from './clients.ts';
import { defineCommand, EXIT, type Flags, type Given, type Plan, wrong, YES } from './command.ts';
import { count, isoTime } from './dashboard/words.ts';
import { aligned, countRows, shortKey, shownText } from './format.ts';
import { wholeReport } from './journal.ts';
import { inParallel } from './whole-table.ts';

const TIME = {
  kind: kind<string>(
    value => !Number.isNaN(Date.parse(String(value))),
    'a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z',
  ),
  value: 'TIME',
} as const;

const FLAGS = {
  from: { ...TIME, help: 'the first expiry time to sweep, ISO-8601 with a zone' },
  to: { ...TIME, help: 'where the span ends; not part of it' },
  'max-per-second': {
    help: 'deletes per second and table at most (default: as configured)',
    kind: whole(1, MAX_DELETES_PER_SECOND),
    value: 'N',
  },
  run: {
    help: 'sweeps the same span once more, under this label',
    kind: text(/^[A-Za-z0-9_-]{1,20}$/, '1 to 20 letters, digits, "_" and "-"'),
    value: 'LABEL',
  },
  'dry-run': { help: 'find and count, delete nothing; counts again each time' },
  yes: YES,
} as const satisfies Flags;

export const command = defineCommand({
  name: 'replay',
  usage: '--from TIME --to TIME [flags]',
  tables: 'all',
  flags: FLAGS,
  about: `Sweeps a span of expiry times again, for example one further back than the ticks look by themselves, by executions of the
deployment's NAME-replay, one for each table. Items that are live are never deleted, whatever the span. An execution goes on when this
command is stopped: the same command waits for it again, repeats none that left nothing, and tries again one that failed. In a paused
table it deletes nothing.`,
  services: ['SFN'],
  exits: '0 everything was swept, 1 not',
  check: given => void settingsOf(given),
  run: planReplay,
});

type Asked = Pick<Given<typeof FLAGS>, 'flags' | 'tables' | 'now'>;

function settingsOf({ flags, tables, now }: Asked) {
  const dryRun = flags['dry-run'];
  const [from, to] = spanOf(flags, now(), tables);
  // Each dry run gets a new name: for a used name, the command would show the result of the earlier run.
  const fresh = `${compact(iso(Math.floor(now() / 1_000)))}-${randomBytes(2).toString('hex').slice(0, 3)}`;
  const label = dryRun ? fresh : (flags.run ?? shortHash(`${Date.parse(from)}/${Date.parse(to)}`));
  const executions = tables.map(({ props: { tableName: table, maxDeletesPerSecond } }) => {
    const perSecond = flags['max-per-second'] ?? (maxDeletesPerSecond || undefined);
    const limit = !dryRun && perSecond !== undefined && { maxDeletesPerSecond: perSecond };
    const input: ReplayInput = { table, from, to, ...(dryRun && { dryRun }), ...limit };
    // The hash of the table's name makes the name unique: one state machine has the replays of all tables.
    const name = [dryRun ? 'dryrun' : 'replay', compact(from), compact(to), label, shortHash(table)].join(
      '-',
    );
    return { name, input };
  });
  return { from, to, dryRun, label, executions };
}

/** Checks `--from` and `--to` as a replay does, and that `--to` has passed. Returns both as ISO-8601 in whole seconds. */
function spanOf({ from, to }: Asked['flags'], nowMs: number, [table]: Given['tables']): [string, string] {
  for (const [flag, value] of Object.entries({ from, to }))
    if (value === undefined) throw wrong(`--${flag}`, TIME.kind.expected, undefined, `Write --${flag} TIME.`);
  const { precision, maxDeletesPerSecond } = table.props;
  try {
    const settings = { precision, maxDeletesPerSecond, marginSeconds: 0 };
    const { from: first } = readReplayInput({ from, to }, nowMs, settings);
    const end = Math.ceil(Date.parse(String(to)) / 1_000);
    if (end <= nowMs / 1_000) return [iso(first), iso(end)];
  } catch (error) {
    if (!(error instanceof Error && 'problem' in error)) throw error;
    const { field, expected, got } = (error as InvalidExecutionInputError).problem;
    throw wrong(`--${field}`, expected, got, 'Correct the time.');
  }
  const remedy = 'Items that expire later are alive: name an earlier end.';
  throw wrong('--to', 'a time that has passed', to, remedy);
}

const shortHash = (told: string): string => createHash('sha256').update(told).digest('hex').slice(0, 8);
const iso = (at: number): string => new Date(at * 1_000).toISOString();
const compact = (time: string): string => `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

type ReplayedCount = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { replayed: true } ? Name : never;
}[CountName];
const REPLAYED = COUNT_LIST.flatMap(([name, { replayed }]) => (replayed ? [name as ReplayedCount] : []));
type Totals = Readonly<Record<ReplayedCount, number>>;

/** Write units of a delete of an item of up to 1 KB, with its index entry. */
const UNITS_OF_DELETE = 2;
const AT_ONCE = 4;
/** After this number of attempts no new execution starts: a person must mend the cause. */
const MAX_ATTEMPTS = 99;

type Ended = Awaited<ReturnType<typeof sweep>>;

/** Whether everything was swept. The execution of a paused table also succeeds, but leaves the items for later. */
const isDone = ({ status, totals }: Pick<Ended, 'status' | 'totals'>): boolean =>
  status === 'SUCCEEDED' && totals.leftForLater === 0;

/** Runs a replay to its end. If an earlier execution failed or left items, a new name is used: the old is refused for 90 days. */
async function sweep(
  sfn: SFNClient,
  stateMachineArn: string,
  { name: first, input }: ReturnType<typeof settingsOf>['executions'][number],
  signal: AbortSignal,
) {
  const { table = '' } = input;
  for (let attempt = 1; ; attempt += 1) {
    const name = attempt === 1 ? first : `${first}-${attempt}`;
    const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const describe = () => noneIfMissing(() => sfn.send(new DescribeExecutionCommand({ executionArn })));
    const started = { stateMachineArn, name, input: JSON.stringify(input) };
    // `isNew` is also true for a running execution: Step Functions accepts its name and input again.
    const isNew = await sfn.send(new StartExecutionCommand(started)).then(
      () => true,
      (error: Error) => {
        if (error.name === 'ExecutionAlreadyExists') return false;
        throw error;
      },
    );
    const before = isNew ? undefined : await describe();
    // The name was used, but Step Functions no longer stores its execution. A second sweep under the next name does no harm.
    if (!isNew && before === undefined) continue;
    const { status = '', startDate, output, error, cause } = await untilEnd(describe, signal);
    const report = wholeReport(readExecutionReport(output ?? cause)?.tables[table] ?? {});
    const { sampleKeys, failedKeys, lagMs } = report;
    const totals = countEach(REPLAYED, count => report[count]);
    if (!(isNew || isDone({ status, totals }) || attempt === MAX_ATTEMPTS)) continue;
    return {
      ...{ table, execution: name, status, startedAt: startDate?.toISOString() },
      ...{ doneBefore: before?.status === 'SUCCEEDED', totals, lagP99Ms: lagMs?.p99 },
      ...{ sampleKeys, failedKeys, error, cause },
    };
  }
}

/** Waits until an execution has ended; a new one may not be visible yet. The pauses grow, so that a long wait causes few requests. */
async function untilEnd(
  describe: () => Promise<DescribeExecutionCommandOutput | undefined>,
  signal: AbortSignal,
) {
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 5_000)) {
    const state = await describe();
    if (state !== undefined && state.status !== 'RUNNING') return state;
    await sleep(wait, undefined, { signal });
  }
}

/** Finds a state machine's ARN by its name: the account in the ARN is not known. @throws {InvalidFieldError} if there is none */
async function machineArnOf(client: SFNClient, machine: string, region: string): Promise<string> {
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, { maxResults: 1_000 })) {
    const arn = stateMachines.find(({ name }) => name === machine)?.stateMachineArn;
    if (arn !== undefined) return arn;
  }
  const remedy = 'Deploy first, or look whether account, region and AWS_ENDPOINT_URL_SFN are the right ones.';
  throw wrong('state machine', `${machine} in ${region}`, undefined, remedy);
}

async function planReplay(given: Given<typeof FLAGS>): Promise<Plan> {
  const { from, to, dryRun, label, executions } = settingsOf(given);
  const { sfn } = given.clients;
  const machine = replayName(given.tables[0].props.deployment);
  const machineArn = await machineArnOf(sfn, machine, given.config.region);
  const tables = executions.map(({ input: { table, maxDeletesPerSecond: limit } }) => {
    const limited = limit === undefined ? '' : `, at most ${count(limit)} deletes a second`;
    return ['table', `${table}, by ${machine}${limited}`] as const;
  });
  const title = dryRun ? 'Dry run of a replay: finds and counts, deletes nothing' : 'Replay';
  const span = ['expired in', `${isoTime(from)} to ${isoTime(to)} (not included)`] as const;
  return {
    text: `${title}\n${aligned([span, ...tables, ['run', label]])}`,
    question: dryRun ? undefined : 'Delete what is expired there?',
    async apply() {
      const { signal, print, show } = given;
      const ended: Ended[] = [];
      const work = async (each: (typeof executions)[number], stop: AbortSignal) => {
        const last = await sweep(sfn, machineArn, each, stop);
        ended.push(last);
        print(`[${ended.length}/${executions.length}] ${describe(last, dryRun)}`);
        if (ended.length < executions.length) show(`${ended.length} of ${executions.length} executions`);
      };
      const worked = inParallel(executions, AT_ONCE, work, signal);
      const failure = await worked.catch((error: unknown) => ({ error }));
      const totals = ended.reduce((sum, each) => addCounts(REPLAYED, sum, each.totals), noCounts(REPLAYED));
      const isAll = ended.length === executions.length && ended.every(isDone);
      return {
        data: {
          ...{ from, to, dryRun, run: label, totals, executions: ended },
          ...(dryRun && { writeUnitsAtLeast: totals.found * UNITS_OF_DELETE }),
        },
        text: `\n${describeEnd(ended, totals, { dryRun, isAll })}`,
        exit: isAll ? EXIT.fine : EXIT.notFine,
        ...failure,
      };
    },
  };
}

const SAMPLES = 3;

function describe({ totals, error, cause, ...ended }: Ended, dryRun: boolean): string {
  const told = REPLAYED.filter(name => alwaysTold(dryRun).includes(name) || totals[name] > 0);
  const line = `${ended.table}  ${told.map(name => `${wordsOf(name)} ${count(totals[name])}`).join(', ')}`;
  const keys = ended.sampleKeys.slice(0, SAMPLES).map(shownText);
  const samples = keys.map(key => `\n    such as ${shortKey(key)}`);
  if (isDone({ ...ended, totals }))
    return [line, ended.doneBefore ? ' (done before)' : '', ...samples].join('');
  if (ended.status === 'SUCCEEDED')
    return `${line}\n    the table is paused: ${ended.execution} left the rest`;
  const why = [error, cause].filter(Boolean).join(': ');
  return `${line}\n    ${ended.status} ${ended.execution}: ${why.length > 300 ? `${why.slice(0, 300)}…` : why}`;
}

/** These counts are shown even if they are 0. */
const alwaysTold = (dryRun: boolean): readonly ReplayedCount[] => (dryRun ? ['found'] : ['found', 'deleted']);

function describeEnd(
  ended: readonly Ended[],
  totals: Totals,
  { dryRun, isAll }: { readonly dryRun: boolean; readonly isAll: boolean },
): string {
  const units = ['write units', totals.found * UNITS_OF_DELETE, 'at least, for a real run'] as const;
  const rows = [
    ...REPLAYED.map(name => [wordsOf(name), totals[name], ''] as const),
    ...(dryRun ? [units] : []),
  ];
  const table = countRows(rows, alwaysTold(dryRun).map(wordsOf));
  const isOld = ended.every(({ doneBefore }) => doneBefore);
  const why = dryRun
    ? 'A dry run counts again each time.'
    : !isAll
      ? 'Some of it is left: run this again when what stands above is mended.'
      : isOld &&
        'All of it was done before. To sweep the span again (for what was written since), add --run LABEL.';
  return [table, why].filter(Boolean).join('\n\n');
}
