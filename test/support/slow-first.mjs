import Sequencer from '@jest/test-sequencer';

/**
 * Files that take longest, for runs that know no durations yet: jest then goes by the size of files, and one of these would be alone at the
 * end. Those that wait most come first: beside them the others have the processor.
 */
const LONGEST = [
  /\/test\/end-to-end\/log-keys/,
  /\/test\/deploy\/edits/,
  /\/test\/start\/real-time/,
  /\/test\/local\/testing\/jump/,
  /\/test\/end-to-end\/least-privilege/,
  /\/test\/deploy\/(pipes|existing-table|commands)/,
  /\/test\/statemachine\/sabotage/,
  /\/test\/start\//,
  /\/page\.browser/,
  /\/test\/bench\/.*\.slow/,
  /\/test\/statemachine\/(outage|precision|shards)/,
  /\/test\/(end-to-end|cli|local|statemachine|package)\//,
];

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }) => {
      const found = LONGEST.findIndex(each => each.test(path));
      return found === -1 ? LONGEST.length : found;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
