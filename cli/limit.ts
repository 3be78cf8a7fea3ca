/** `precise-ttl limit`: limits the delete rate of a sweep without a deployment. See `--help`. */

import type { LimitOptions } from '../operate/changes.ts';
import { MAX_DELETES_PER_SECOND } from '../statemachine/contract/limits.ts';
import { FlagError, switchFlag, wholeNumber } from './flags.ts';
import { count } from './numbers.ts';
import { defineOperation, planOf, type Session } from './operation.ts';

export const command = defineOperation({
  name: 'limit',
  usage: ['[--table NAME] --max-per-second N | --off [flags]'],
  tables: 'one',
  flags: {
    'max-per-second': wholeNumber(1, MAX_DELETES_PER_SECOND, 'most deletes a second'),
    off: switchFlag('what the configuration says again'),
  },
  about: `Limits how many items a table's sweep deletes a second, without a deployment: writes it into the journal, where it stands in place
of maxDeletesPerSecond. It holds from the next tick on, which comes within a minute; what runs keeps its own limit. Nothing is lost
or skipped by it: it is late. --off takes it out again. Deployments leave it as it is.`,
  services: ['DYNAMODB'],
  quick: ['DYNAMODB'],
  question: 'Change that there?',
  status: { done: 'done, or it was so already' },
  read({ table, off, 'max-per-second': perSecond }, config) {
    if (off !== (perSecond === undefined)) {
      const got = off ? 'both' : 'neither';
      throw new FlagError(
        `--max-per-second: expected either it or --off, got ${got}; write --max-per-second 200`,
      );
    }
    return { config, table, perSecond };
  },
  prepare: planLimit,
});

/** Reads the state of the tables, and describes the change. */
export async function planLimit(wanted: LimitOptions, { clients, print }: Session) {
  const { prepareLimit } = await import('../operate/limit.ts');
  const { facts, apply } = await prepareLimit({ ...wanted, clients });
  const limit = describe(wanted.perSecond);
  return planOf({
    facts: { title: `Limit of ${facts.table}: ${limit}`, rows: [['so far', describe(facts.was)]] },
    apply,
    tell({ table, maxDeletesPerSecond, was }) {
      print(
        was === maxDeletesPerSecond
          ? `\n${table}: it was so already.`
          : `\n${table}: ${limit}, from the next tick on. What runs keeps its own limit.`,
      );
      return { end: 'done' };
    },
  });
}

function describe(perSecond: number | undefined): string {
  return perSecond === undefined
    ? 'what the configuration says'
    : `at most ${count(perSecond)} deletes a second`;
}
