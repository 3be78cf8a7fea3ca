/** `precise-ttl history`: the executions of the last days, with their reports. See `--help`. */
import { writeFileSync } from 'node:fs';
import { loadConfigFile } from '../config/config-file.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { readDuration } from './duration.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  config: CONFIG,
  since: {
    type: 'text',
    value: 'SPAN',
    default: '24h',
    help: 'how far back: 90m, 24h, 7d; the journal keeps 90 days',
  },
  failed: {
    type: 'switch',
    help: 'only those that left something, with causes and keys that were not deleted',
  },
  limit: {
    type: 'number',
    min: 1,
    max: 150_000,
    whole: true,
    default: 1_600,
    value: 'N',
    help: 'executions of a table at the most, the newest ones; a busy day has 1,440',
  },
  mask: { type: 'switch', help: 'show hashes instead of keys' },
  json: {
    type: 'text',
    value: 'FILE',
    help: 'also write the history to a file; - prints it instead of the text',
  },
} as const;

const help = (flags: string) => `npx precise-ttl history [flags]

Lists from the journal what the sweeps of a table came to, the newest first: what each execution was, what it found and deleted, how
late, and what it left. A tick that had nothing to do is not in it. It changes nothing.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the deployment of
npx precise-ttl local set AWS_ENDPOINT_URL_DYNAMODB as it prints it.

${describeActions('history')}

Exit status: 0 listed, 1 it could not be listed, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const sinceMs = readDuration('--since', flags.since, { least: '1s', most: '90d' });
  const toOutput = flags.json === '-';
  const reportFile = flags.json === undefined || toOutput ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runHistory }, { operatingClients }, { describeHistory }, { historyReport }] = await Promise.all([
    import('./history/job.ts'),
    import('./aws/operating-clients.ts'),
    import('./history/text.ts'),
    import('./history/report.ts'),
  ]);
  const history = await runHistory({
    table: flags.table,
    sinceMs,
    failed: flags.failed,
    limit: flags.limit,
    config: await loadConfigFile(flags.config),
    connect: region => operatingClients(region, process.env),
    now: Date.now,
    signal: stop.signal,
  });
  if (history === undefined) {
    printError('Interrupted: nothing was listed. The command changes nothing, so run it again.');
    return stop.status();
  }
  const report = JSON.stringify(historyReport(history, flags), null, 2);
  if (reportFile !== undefined) writeFileSync(reportFile, `${report}\n`);
  print(toOutput ? report : describeHistory(history, flags));
  return 0;
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
