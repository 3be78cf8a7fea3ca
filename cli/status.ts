/** `precise-ttl status`: shows how the sweeps are doing, once or every few seconds. See `--help`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../operate/status/report.ts';
import type { Status } from '../operate/status/status.ts';
import { switchFlag, wholeNumber } from './flags.ts';
import { defineLook, NOT_KNOWN } from './look.ts';

const STATUS: Readonly<Record<Verdict, number>> = { fine: 0, warnings: 1, broken: 2, unknown: NOT_KNOWN };

export const command = defineLook({
  name: 'status',
  flags: {
    watch: switchFlag('look again every few seconds, until Ctrl-C'),
    every: {
      type: 'number',
      min: 1,
      max: 3600,
      default: 5,
      value: 'N',
      help: 'with --watch: seconds between two looks',
    },
    back: wholeNumber(
      1,
      44_640,
      'minutes that the index is read back (default: as a tick looks back, or to what no sweep is known to cover)',
    ),
  },
  tables: 'all of them',
  about: `Shows how the sweep of each table of the configuration stands: up to when everything that was due is gone, what is overdue,
the schedules, the last sweeps and how they ended, open executions, dead letters, alarms. It reads only: the index from here, and
what AWS knows of the deployment. What each line means: docs/operate.md.`,
  more: `A call waits 2 seconds for a connection and 5 for an answer, twice. 13 seconds after its start (a second more for each table beyond
ten) the command tells what is known, and what did not answer. A later look of --watch has 13 seconds of its own.`,
  services: ['SFN', 'DYNAMODB'],
  where:
    'With an endpoint on this machine, such as AWS_ENDPOINT_URL_SFN, it asks the services of this machine only, and says what that leaves out.',
  status:
    '0 fine, 1 warnings, 2 something is broken; 3 it could not be told: a service did not answer, wrong flags, a wrong configuration, no credentials. With --watch, that of the last look',
  failureStatus: NOT_KNOWN,
  interrupted: 'nothing is known',
  read: ({ watch, every, back }) => ({ watch, every, back }),
  async look({ asked: { watch, every, back }, config, table, signal, tell }) {
    const [{ statusJob }, { statusReport }, { describeStatus, showLook }] = await Promise.all([
      import('../operate/status/status.ts'),
      import('../operate/status/to-report.ts'),
      import('./status/text.ts'),
    ]);
    let last: Status | undefined;
    const job = statusJob({ config, table, back, signal });
    try {
      // The time limit of the first look includes the start of the process.
      for (let spentMs = performance.now(); ; spentMs = 0) {
        const status = await job.look(spentMs).catch((error: unknown) => {
          // Ctrl-C is the usual way to stop watching.
          if (signal.aborted && last !== undefined) return last;
          throw error;
        });
        if (status === last) return STATUS[status.verdict];
        last = status;
        tell({
          report: statusReport(status),
          text: () => describeStatus(status),
          show: watch ? () => showLook(status, process.stdout) : undefined,
        });
        if (watch) await sleep(every * 1000, undefined, { signal }).catch(() => undefined);
        if (!watch || signal.aborted) return STATUS[status.verdict];
      }
    } finally {
      job.destroy();
    }
  },
});
