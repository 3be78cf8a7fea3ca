/** `precise-ttl doctor`: checks a table and the resources that are deployed for it. See `--help`. */
import type { Verdict } from '../operate/doctor/report.ts';
import { switchFlag, wholeNumber } from './flags.ts';
import { defineLook, MASK, NOT_KNOWN } from './look.ts';
import { printError } from './print.ts';

const STATUS: Readonly<Record<Verdict, number>> = { healthy: 0, warnings: 1, broken: 2 };

export const command = defineLook({
  name: 'doctor',
  flags: {
    full: switchFlag('read all items, not only a sample of at most 1,000'),
    all: switchFlag('read the whole index, and name what is overdue in it and what no tick finds'),
    rate: {
      type: 'number',
      min: 1,
      max: 40_000,
      default: 100,
      value: 'N',
      help: 'with --full or --all: read units a second, of 8 KB each',
    },
    segments: {
      ...wholeNumber(1, 100, 'with --full or --all: parts that are read at the same time'),
      default: 4,
    },
    mask: MASK,
  },
  tables: 'all of them',
  about: `Looks at each table of the configuration: the table, its index and native TTL; a sample of its items, for TTLs and windows that no
sweep finds; and whether what is deployed is what the configuration says, with the quotas it needs. It changes nothing. For each
finding it says what it means, how many there are, some keys, and the command that mends it. How the sweeps go says \`status\`. With --all it
reads the whole index instead of trusting the sample: what is overdue there, what has a TTL out of range or with a fraction, and what is
stamped so that no tick finds it.`,
  more: `A call waits 2 seconds for a connection and 5 for an answer, twice, and all checks of a table a minute, but for --full and --all. What
did not answer, or is not allowed, is a warning that says so.`,
  services: ['DYNAMODB', 'SFN'],
  where:
    'With AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL_SFN on this machine it asks the services of this machine only, and notes which checks that leaves out.',
  status:
    '0 healthy, 1 warnings, 2 something is broken; 3 it could not look: wrong flags, a wrong configuration, no credentials',
  failureStatus: NOT_KNOWN,
  interrupted: 'nothing is known',
  read: ({ full, all, rate, segments, mask }) => ({ full, all, rate, segments, mask }),
  async look({ asked, config, table, signal, tell, show }) {
    const [{ examine }, { describeReport, scanTeller }] = await Promise.all([
      import('../operate/doctor/doctor.ts'),
      import('./doctor/text.ts'),
    ]);
    const onScan = scanTeller({ print: printError, show }, asked.rate);
    const report = await examine({ ...asked, config, table, signal, onScan });
    tell({ report, text: () => describeReport(report) });
    return STATUS[report.verdict];
  },
});
