/** `precise-ttl audit`: whether all that was deleted was archived and published. See `--help`. */
import { writeFileSync } from 'node:fs';
import { loadConfigFile } from '../config/config-file.ts';
import { Progress } from '../lab/report/progress.ts';
import type { AuditVerdict } from './audit/job.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  from: {
    type: 'text',
    value: 'TIME',
    help: 'deletions from then on: a date in UTC, or a time in ISO-8601 with a zone; at most 14 days ago',
  },
  to: { type: 'text', value: 'TIME', help: 'deletions before then (default: now)' },
  table: {
    type: 'text',
    value: 'NAME',
    help: 'a table of the configuration (default: all that have archive or events)',
  },
  config: CONFIG,
  mask: { type: 'switch', help: "show hashes instead of keys (default: as the table's logKeys says)" },
  json: {
    type: 'text',
    value: 'FILE',
    help: 'also write the result to a file, with all keys that differ; - prints it instead of the text',
  },
} as const;

/** A script can tell an answer from a question that was not understood, which is 2 in other commands. */
const NOT_KNOWN = 3;
const STATUS: Readonly<Record<AuditVerdict, number>> = { equal: 0, differs: 1, unknown: NOT_KNOWN };

const help = (flags: string) => `npx precise-ttl audit --from TIME [flags]

Compares what the sweeps deleted with what the archive and the events have seen of it: how much, in which minutes something is missing,
which keys, and what mends it. Each of them keeps its own book in the journal, for 14 days. Times are those of the deletions, not of the
expiry. It reads only, an hour of deletions at a time.

${flags}

What a reader may still see in time is not missing: it is told as not known. docs/status.md has more.

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the deployment of
npx precise-ttl local set AWS_ENDPOINT_URL_DYNAMODB as it prints it.

${describeActions('audit')}

Exit status: 0 all was seen, 1 something is missing, 3 it is not known: nothing is in the books, something may still come, wrong flags,
the journal could not be read; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const now = Date.now();
  const toOutput = flags.json === '-';
  const reportFile = flags.json === undefined || toOutput ? undefined : writableFile('--json', flags.json);
  const { readAuditSpan } = await import('./audit/span.ts');
  const span = readAuditSpan(flags.from, flags.to, now);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runAudit, verdictOf }, { operatingClients }, { describeAudit, SHOWN_KEYS }, { auditReport }] =
    await Promise.all([
      import('./audit/job.ts'),
      import('./aws/operating-clients.ts'),
      import('./audit/text.ts'),
      import('./audit/report.ts'),
    ]);
  const progress = new Progress(process.stderr);
  const audit = await runAudit({
    table: flags.table,
    span,
    mostKeys: flags.json === undefined ? SHOWN_KEYS : Number.POSITIVE_INFINITY,
    config: await loadConfigFile(flags.config),
    connect: region => operatingClients(region, process.env),
    now,
    onHour: line => progress.show(line),
    signal: stop.signal,
  }).finally(() => progress.end());
  if (audit === undefined) {
    printError('Interrupted: nothing was compared. The command changes nothing, so run it again.');
    return stop.status();
  }
  const report = JSON.stringify(auditReport(audit, flags), null, 2);
  if (reportFile !== undefined) writeFileSync(reportFile, `${report}\n`);
  print(toOutput ? report : describeAudit(audit, { mask: flags.mask, now }));
  return STATUS[verdictOf(audit)];
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
  failureStatus: NOT_KNOWN,
});
