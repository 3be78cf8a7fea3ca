/** `precise-ttl doctor`: looks whether a table and what is deployed for it are as they should be. See `--help`. */
import { writeFileSync } from 'node:fs';
import { loadConfigFile } from '../config/config-file.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import type { Verdict } from './doctor/finding.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  config: CONFIG,
  full: { type: 'switch', help: 'read all items, not only a sample of at most 1,000' },
  rate: {
    type: 'number',
    min: 1,
    max: 40_000,
    default: 100,
    value: 'N',
    help: 'with --full: read units a second, of 8 KB each',
  },
  segments: {
    type: 'number',
    min: 1,
    max: 100,
    whole: true,
    default: 4,
    value: 'N',
    help: 'with --full: parts of the table that are read at the same time',
  },
  mask: { type: 'switch', help: "show hashes instead of keys (default: as the table's logKeys says)" },
  json: { type: 'text', value: 'FILE', help: 'also write the report to a file' },
} as const;

/** A script can tell an answer from a question that was not understood, which is 2 in other commands. */
const NO_VERDICT = 3;
const STATUS: Readonly<Record<Verdict, number>> = { healthy: 0, warnings: 1, broken: 2 };

const help = (flags: string) => `npx precise-ttl doctor [flags]

Looks at each table of the configuration: the table, its index and native TTL; a sample of its items, for TTLs and windows that no
sweep finds; and what is deployed: schedules, the last sweeps, the dead-letter queue, quotas. It changes nothing. For each
finding it says what it means, how many there are, some keys, and the command that mends it. What it looks for: docs/doctor.md.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. A check that is not
allowed is a warning that names the missing action. With AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL_SFN on this machine it
asks the services of this machine only, and notes which checks that leaves out.

${describeActions('doctor')}

A call waits 2 seconds for a connection and 5 for an answer, twice, and all checks of a table a minute, but for --full. What did not
answer is a warning.

Exit status: 0 healthy, 1 warnings, 2 something is broken; 3 it could not look: wrong flags, a wrong configuration, no
credentials; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const reportFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for five clients of the SDK.
  const [{ runDoctor }, { deploymentClients }, { describeReport }, { scanPrinter }] = await Promise.all([
    import('./doctor/job.ts'),
    import('./deployment/clients.ts'),
    import('./doctor/text.ts'),
    import('./doctor/scan-printer.ts'),
  ]);
  const printer = scanPrinter(process.stderr, flags.rate);
  const { table, full, rate, segments, mask } = flags;
  const report = await runDoctor({
    table,
    full,
    rate,
    segments,
    mask,
    config: await loadConfigFile(flags.config),
    connect: (region, limit) => deploymentClients(region, process.env, limit),
    now: Date.now,
    onScan: printer.onScan,
    signal: stop.signal,
  });
  printer.end();
  if (report === undefined) {
    printError('Interrupted: nothing is known. The command changes nothing, so run it again.');
    return stop.status();
  }
  if (reportFile !== undefined) writeFileSync(reportFile, `${JSON.stringify(report, null, 2)}\n`);
  print(describeReport(report));
  return STATUS[report.verdict];
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
  failureStatus: NO_VERDICT,
});
