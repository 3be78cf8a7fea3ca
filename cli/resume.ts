/** `precise-ttl resume`: ends a pause, and deletes what expired during it. See `--help`. */
import type { MissedOfTable, ResumedTable, ResumeOptions, ResumeProgress } from '../operate/changes.ts';
import { commandLine } from '../operate/command-line.ts';
import { describePause } from '../operate/deployment/sweep.ts';
import { isoSeconds } from '../operate/times.ts';
import { describeDuration, switchFlag } from './flags.ts';
import { defineOperation, describeFacts, planOf, type Session } from './operation.ts';
import { describeResult, describeFacts as replayFacts } from './replay/text.ts';
import { pieceTeller, replayTold } from './replay.ts';

export const command = defineOperation({
  name: 'resume',
  usage: ['[--table NAME] [flags]'],
  tables: 'all',
  flags: {
    'no-replay': switchFlag('do not replay what was missed; print the command for it'),
  },
  dryRun: 'count what has expired meanwhile; change and delete nothing',
  about: `Lets the sweeps go on after npx precise-ttl pause, at once, and replays what has expired meanwhile: from the table's watermark in
the journal on, up to which everything is known to be gone. So it also works after a pause that has ended by itself, or after an
outage. While it replays, the ticks sweep what expires from then on, and leave the rest to it. Run it again after an interruption
or a failure, and the replay continues where it stopped.`,
  services: ['DYNAMODB', 'SFN'],
  // The first call goes to DynamoDB. Step Functions is not quick: a replay waits as long as needed.
  quick: ['DYNAMODB'],
  question: 'Resume there, and delete what is expired?',
  status: { done: 'nothing is paused and everything was replayed' },
  read: ({ table, dryRun, 'no-replay': noReplay }, config): ResumeOptions => ({
    ...{ config, table, dryRun },
    replay: !noReplay,
  }),
  prepare: planResume,
});

/** Reads the state of the tables, and describes the change. */
export async function planResume(wanted: ResumeOptions, { clients, signal, print, show }: Session) {
  const { dryRun = false } = wanted;
  const { prepareResume } = await import('../operate/resume/resume.ts');
  const { facts, apply } = await prepareResume({
    ...{ ...wanted, clients, signal },
    onProgress: teller({ print, show }, dryRun),
  });
  return planOf({
    facts: {
      title: dryRun ? 'Dry run of a resume: counts, changes and deletes nothing' : 'Resume',
      rows: facts.map(each => ['table', describeMissed(each)]),
    },
    apply,
    tell({ tables }) {
      const ends = tables.map(({ replay }) => replay);
      return replayTold((['interrupted', 'failed'] as const).find(end => ends.includes(end)) ?? 'done');
    },
  });
}

function teller({ print, show }: Pick<Session, 'print' | 'show'>, dryRun: boolean) {
  const tellPiece = pieceTeller({ print, show }, dryRun);
  return (progress: ResumeProgress) => {
    switch (progress.at) {
      case 'resumed':
        print(`\n${progress.tables.length === 0 ? 'Nothing was paused.' : RESUMED}`);
        break;
      case 'replay':
        print(`\n${describeFacts(replayFacts(progress.facts, dryRun))}`);
        break;
      case 'piece':
        tellPiece(progress.piece, progress.number, progress.planned);
        break;
      case 'replayed':
        print(`\n${describeResult(progress.result)}`);
        break;
      case 'table':
        for (const line of describeTable(progress.table)) print(`\n${line}`);
    }
  };
}

const RESUMED = 'The pause has ended: a tick was started for what expires from now on.';

function describeTable({ table, missed, replay, lagP99Ms }: ResumedTable): string[] {
  const p99 =
    lagP99Ms === null
      ? []
      : [`${table}: 99% of what expired meanwhile was deleted at most ${describeDuration(lagP99Ms)} late.`];
  if (missed === null || replay !== 'left') return p99;
  const span = `--table ${table} --from ${missed.from} --to ${missed.to}`;
  return [
    `${table}: what expired meanwhile is left to the ticks, as far as they look back. Replay it with:\n  ${commandLine('replay', span)}`,
  ];
}

function describeMissed({ table, was, missed, isSwept }: MissedOfTable): string {
  const head = `${table}, ${describePause(was)}`;
  if (missed === undefined) {
    return isSwept || was !== undefined
      ? `${head}; nothing was missed that the ticks do not make up for`
      : `${head}; no tick has swept it yet`;
  }
  const length = describeDuration((missed.to - missed.from) * 1_000);
  return `${head}; not swept: what was due from ${isoSeconds(missed.from * 1_000)} to ${isoSeconds(missed.to * 1_000)} (${length})`;
}
