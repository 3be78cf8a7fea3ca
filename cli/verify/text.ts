import { dollars } from '../numbers.ts';
import { VERIFY_NAME } from './configuration.ts';

/** Describes the run before anything is created. */
export function describePlan(region: string, { minutes, cost }: { minutes: number; cost: number }): string {
  const made = `the table ${VERIFY_NAME}, its deployment of the same name (state machines, functions, roles, schedules, logs, a journal), and a queue ${VERIFY_NAME}-…`;
  return `Verification in ${region}, about ${minutes + 5} minutes, at most ${dollars(cost)} (by the calculator, free tiers not taken off)
  makes    ${made}; nothing else in the account is touched
  before   takes away what an earlier run of these names has left
  after    takes everything away again, also after Ctrl-C; after a crash the next run does`;
}
