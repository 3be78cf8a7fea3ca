/** `precise-ttl status`: how the sweeps stand, now or every few seconds. See `--help`. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfigFile } from '../config/config-file.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import type { Status } from './status/job.ts';
import type { Verdict } from './status/judge.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  config: CONFIG,
  watch: { type: 'switch', help: 'look again every few seconds, until Ctrl-C' },
  every: {
    type: 'number',
    min: 1,
    max: 3600,
    default: 5,
    value: 'N',
    help: 'with --watch: seconds between two looks',
  },
  back: {
    type: 'number',
    min: 1,
    max: 44_640,
    whole: true,
    value: 'N',
    help: 'minutes that the index is read back (default: as a tick looks back, or to what no sweep is known to cover)',
  },
  json: {
    type: 'text',
    value: 'FILE',
    help: 'also write the report to a file; - prints it instead of the text',
  },
} as const;

/** A script can tell an answer from a question that was not understood, which is 2 in other commands. */
const NOT_KNOWN = 3;
const STATUS: Readonly<Record<Verdict, number>> = { fine: 0, warnings: 1, broken: 2, unknown: NOT_KNOWN };

const help = (flags: string) => `npx precise-ttl status [flags]

Shows how the sweep of each table of the configuration stands: up to when everything that was due is gone, what is overdue,
the schedules, the last sweeps and how they ended, open executions, dead letters, alarms. It reads only: the index from here, and
what AWS knows of the deployment. What each line means: docs/status.md.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. With an endpoint on
this machine, such as AWS_ENDPOINT_URL_SFN, it asks the services of this machine only, and says what that leaves out.

${describeActions('status')}

A call waits 2 seconds for a connection and 5 for an answer, twice. 13 seconds after its start (a second more for each table beyond
ten) the command tells what is known, and what did not answer. A later look of --watch has 13 seconds of its own.

Exit status: 0 fine, 1 warnings, 2 something is broken; 3 it could not be told: a service did not answer, wrong flags, a wrong
configuration, no credentials. With --watch, that of the last look.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const toOutput = flags.json === '-';
  const reportFile = flags.json === undefined || toOutput ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the clients of the SDK.
  const [{ statusJob }, { deploymentClients }, { describeStatus }, { statusReport }, { showLook }] =
    await Promise.all([
      import('./status/job.ts'),
      import('./deployment/clients.ts'),
      import('./status/text.ts'),
      import('./status/report.ts'),
      import('./status/watch.ts'),
    ]);
  const job = statusJob({
    table: flags.table,
    back: flags.back,
    config: await loadConfigFile(flags.config),
    connect: (region, limit) => deploymentClients(region, process.env, limit),
    now: Date.now,
  });
  const show = (status: Status) => {
    const report = statusReport(status);
    if (reportFile !== undefined) writeFileSync(reportFile, `${JSON.stringify(report, null, 2)}\n`);
    if (toOutput) print(flags.watch ? JSON.stringify(report) : JSON.stringify(report, null, 2));
    else if (flags.watch) showLook(status, process.stdout);
    else print(describeStatus(status));
  };
  let last: Status | undefined;
  try {
    for (;;) {
      // The first look's time began with the process, which had to load it.
      const spentMs = last === undefined ? performance.now() : 0;
      const status = await Promise.race([job.look(spentMs), interrupted(stop.signal)]);
      if (status === undefined) break;
      last = status;
      show(status);
      if (!flags.watch) break;
      await sleep(flags.every * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) break;
    }
    // Ctrl-C is how watching ends; before the first look is over, it is an interruption.
    return last === undefined ? stop.status() : STATUS[last.verdict];
  } finally {
    job.destroy();
  }
}

async function interrupted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'SFN')),
  failureStatus: NOT_KNOWN,
});
