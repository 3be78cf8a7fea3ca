/** `precise-ttl resume`: ends a pause. See `--help`. */
import type { ResumeResult } from '../operate/changes.ts';
import { describePause } from '../operate/deployment/sweep.ts';
import type { OperateOptions } from '../operate/options.ts';
import { defineOperation, planOf, type Session } from './operation.ts';

export const command = defineOperation({
  name: 'resume',
  usage: ['[--table NAME] [flags]'],
  tables: 'all',
  flags: {},
  about: `Lets the sweeps go on after npx precise-ttl pause. Nothing else is needed: the next tick begins at the table's watermark in the
journal, up to which everything is known to be gone, and each further tick goes on from there, until what has expired meanwhile is
deleted. So it is after a pause that has ended by itself, and after an outage, without this command.`,
  services: ['DYNAMODB'],
  quick: ['DYNAMODB'],
  question: 'Resume there, and let the ticks delete what is expired?',
  status: { done: 'nothing is paused' },
  read: ({ table }, config): OperateOptions => ({ config, table }),
  prepare: planResume,
});

/** Reads the state of the tables, and describes the change. */
export async function planResume(wanted: OperateOptions, { clients, print }: Session) {
  const { prepareResume } = await import('../operate/resume.ts');
  const { facts, apply } = await prepareResume({ ...wanted, clients });
  return planOf({
    facts: {
      title: 'Resume',
      rows: facts.map(({ table, was }) => ['table', `${table}, ${describePause(was)}`]),
    },
    apply,
    tell({ tables }) {
      print(`\n${tables.map(describeTable).join('\n')}`);
      return { end: 'done' };
    },
  });
}

function describeTable({ table, was, left }: ResumeResult['tables'][number]): string {
  if (was === null) return `${table}: was not paused.`;
  if (left === null)
    return `${table}: resumed. No tick has swept it yet: the first one begins two days back.`;
  return `${table}: resumed. The ticks make up for what was due from ${left.from} to ${left.to} by themselves.`;
}
