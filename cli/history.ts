/** `precise-ttl history`: the executions of the last days, with their reports. See `--help`. */
import { writeFileSync } from 'node:fs';
import { Progress } from '../lab/report/progress.ts';
import { loadConfigFile } from '../stacks/config-file.ts';
import { isLocal, localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { readDuration } from './duration.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import type { Invocation } from './invocation.ts';
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
    help: 'how far back: 90m, 24h, 7d; Step Functions keeps executions for 90 days',
  },
  failed: {
    type: 'switch',
    help: 'only those that did not succeed, with causes and keys that were not deleted',
  },
  limit: {
    type: 'number',
    min: 1,
    max: 150_000,
    whole: true,
    default: 1_600,
    value: 'N',
    help: 'executions of a table at the most, the newest ones; a day has about 1,500',
  },
  mask: { type: 'switch', help: 'show hashes instead of keys' },
  json: {
    type: 'text',
    value: 'FILE',
    help: 'also write the history to a file; - prints it instead of the text',
  },
} as const;

/**
 * Calls of DescribeExecution a second. Step Functions lets an account begin 10 a second where it allows the least, 15 in the large
 * regions, after a burst of 250 or more; consoles and replays need some of them. Source: Step Functions quotas, API action
 * throttling.
 */
const DESCRIBES_PER_SECOND = 8;
const BURST = 100;

/** On this machine nobody throttles. */
const LOCAL_DESCRIBES_PER_SECOND = 1_000;

const help = (flags: string, call: Invocation) => `${call('history', '[flags]')}

Lists the executions of the sweep, the newest first: what started each one, how it ended, what it found and deleted, and how late.
Those that had nothing to do are one line. It changes nothing. Each execution is asked for by a call of its own, at most
${DESCRIBES_PER_SECOND} a second: a day takes about three minutes, and --failed takes seconds.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the local
Step Functions of ${call('local')} set AWS_ENDPOINT_URL_SFN=http://127.0.0.1:8083, which keeps the last 500 executions of a table.

${describeActions('history')}

Exit status: 0 listed, 1 it could not be listed, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const sinceMs = readDuration('--since', flags.since, { least: '1s', most: '90d' });
  const toOutput = flags.json === '-';
  const reportFile = flags.json === undefined || toOutput ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runHistory }, { stepFunctionsClient }, { Pace }, { describeHistory }, { historyReport }] =
    await Promise.all([
      import('./history/job.ts'),
      import('./aws/step-functions.ts'),
      import('./history/pace.ts'),
      import('./history/text.ts'),
      import('./history/report.ts'),
    ]);
  const perSecond = isLocal(process.env, 'SFN') ? LOCAL_DESCRIBES_PER_SECOND : DESCRIBES_PER_SECOND;
  const progress = new Progress(process.stderr);
  const history = await runHistory({
    table: flags.table,
    sinceMs,
    failed: flags.failed,
    limit: flags.limit,
    config: await loadConfigFile(flags.config),
    connect: region => stepFunctionsClient(region, process.env, { quick: true }),
    pace: new Pace(perSecond, BURST),
    now: Date.now,
    onProgress: (tableName, done, all) => progress.show(`${tableName}: ${done} of ${all} executions`),
    signal: stop.signal,
  });
  progress.end();
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
  describe: error => describeSdkError(error, localEndpoint(process.env)),
});
