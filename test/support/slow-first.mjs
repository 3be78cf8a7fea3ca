import Sequencer from '@jest/test-sequencer';

/** Folders whose tests take long, for runs that know no durations yet: jest then goes by the size of files. */
const SLOW = /\/test\/(end-to-end|cli)\//;

export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter(test => !isSlow(test))];
  }
}
