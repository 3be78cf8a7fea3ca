import Sequencer from '@jest/test-sequencer';

/**
 * Files that take longest, for runs that know no durations yet: jest then goes by the size of files, and one of these would be alone at the
 * end. Those that wait most come first: beside them the others have the processor.
 */
const LONGEST = [
  /\/test\/start\/real-time/,
  /\/test\/cli\/(status|local|start)\.slow/,
  /\/test\/operate\/aws\/client\.slow/,
  /\/test\/statemachine\/sabotage/,
  /\/test\/cli\/verify\//,
  /\/test\/runbook\//,
  /\/test\/start\//,
  /\/test\/lab\/.*\.slow/,
  /\/test\/statemachine\/(outage|precision|shards|index-scan)/,
  /\/test\/(end-to-end|cli|testing|statemachine)\//,
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
