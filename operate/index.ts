/**
 * `precise-ttl/operate`: the commands as functions, for a bot, a notebook or a CI gate. They print nothing and do not end the
 * process. They return plain data, like the commands' `--json`.
 *
 * The declarations name no types of the AWS SDK, so that programs need no other package.
 */
import { checkConfig } from '../config/config.ts';
import { openArchive } from './archive/archive-source.ts';
import { readLocation } from './archive/location.ts';
import { compareDeletions } from './audit/audit.ts';
import type { AuditOptions, AuditReport } from './audit/report.ts';
import { type Clients, clientsOf } from './aws/clients.ts';
import { requireOnePlace, type Service } from './aws/endpoint.ts';
import { prepareBackfill } from './backfill.ts';
import type * as changes from './changes.ts';
import { chooseTables } from './choose-tables.ts';
import { type CostOptions, type CostReport, monthlyCost } from './cost.ts';
import { examine } from './doctor/doctor.ts';
import type { DoctorOptions, DoctorReport } from './doctor/report.ts';
import { readHistory } from './history/history.ts';
import type { HistoryOptions, HistoryReport } from './history/report.ts';
import { prepareLimit } from './limit.ts';
import { NEVER, type OperateOptions, type Prepared } from './options.ts';
import { preparePause } from './pause.ts';
import type { ProofOptions, ProofReport } from './proof/report.ts';
import { verifyDay } from './proof/verify-day.ts';
import { prepareIndexScan } from './replay/index-scan.ts';
import { prepareReplay } from './replay/replay.ts';
import { prepareDrill } from './restore/drill.ts';
import { prepareRestore, type WithArchive } from './restore/restore.ts';
import { prepareResume } from './resume/resume.ts';
import type { StatusOptions, StatusReport } from './status/report.ts';
import { statusJob } from './status/status.ts';
import { statusReport } from './status/to-report.ts';

/**
 * Shows the state of each table's sweep: what was deleted, what is overdue, the last sweeps, alarms. It takes 13 seconds at most
 * for ten tables.
 */
export async function status(options: StatusOptions): Promise<StatusReport> {
  const job = statusJob(options);
  try {
    return statusReport(await job.look());
  } finally {
    job.destroy();
  }
}

/** Checks tables and what is deployed for them, and suggests remedies. */
export async function doctor(options: DoctorOptions): Promise<DoctorReport> {
  return examine(options);
}

/** Lists the results of the sweeps of the last days. */
export async function history(options: HistoryOptions): Promise<HistoryReport> {
  return readHistory(options);
}

/** Compares the deletions with what was archived and published. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  return compareDeletions(options);
}

/** Verifies the manifest of a day's deletions. */
export async function verifyProof(options: ProofOptions): Promise<ProofReport> {
  return verifyDay(options);
}

/** Pauses the sweeps of tables, like `pause`. Running executions continue. */
export const pause = change<changes.PauseOptions, changes.PauseResult>(['DYNAMODB', 'SFN'], preparePause);

/** Ends pauses, and replays what expired during them. */
export const resume = change<changes.ResumeOptions, changes.ResumeResult>(['DYNAMODB', 'SFN'], prepareResume);

/** Limits how many items a table's sweep deletes per second. */
export const limit = change<changes.LimitOptions, changes.LimitResult>(['DYNAMODB'], prepareLimit);

/** Sweeps a span of expiry times again. */
export const replay = change<changes.ReplayOptions, changes.ReplayResult>(['SFN'], prepareReplay);

/** Deletes overdue items of the whole index. */
export const scanIndex = change<changes.IndexScanOptions, changes.IndexScanResult>(['SFN'], prepareIndexScan);

/** Writes the window into the items that a table already has. */
export const backfill = change<changes.BackfillOptions, changes.BackfillResult>(['SFN'], prepareBackfill);

/** Writes items of an archive back into their table. */
export const restore = change<changes.RestoreOptions & FromArchive, changes.RestoreResult>(
  ['DYNAMODB'],
  inArchive(prepareRestore),
);

/** Restores a sample of an archive into a scratch table, and lists the lines that cannot be restored. */
export const drill = change<changes.DrillOptions & FromArchive, changes.DrillResult>(
  ['DYNAMODB'],
  inArchive(prepareDrill),
);

/** Returns a function that makes a change at once, without a question. All its services are on this machine, or none. */
function change<Options extends OperateOptions, Result>(
  services: readonly [Service, ...Service[]],
  prepare: (options: Options & { readonly clients: Clients }) => Promise<Prepared<unknown, Result>>,
): (options: Options) => Promise<Result> {
  return async options => {
    const config = checkConfig(options.config);
    const { environment = process.env, credentials } = options;
    requireOnePlace(environment, services);
    const clients = clientsOf(config.region, environment, { first: services[0], credentials });
    try {
      return await (await prepare({ ...options, config, clients })).apply();
    } finally {
      clients.destroy();
    }
  };
}

/** The place of an archive: `s3://BUCKET/PREFIX` without the folder of the table, or a folder with the same files. */
export interface FromArchive {
  readonly fromArchive: string;
}

function inArchive<Options extends OperateOptions, Result>(
  prepare: (options: Options & WithArchive) => Promise<Prepared<unknown, Result>>,
) {
  return async (
    options: Options & FromArchive & { readonly clients: Clients },
  ): Promise<Prepared<unknown, Result>> => {
    const { config, environment = process.env, signal = NEVER, credentials } = options;
    const location = readLocation(options.fromArchive);
    if (location.kind === 's3') requireOnePlace(environment, ['DYNAMODB', 'S3']);
    const { source, destroy } = openArchive(config.region, location, environment, signal, credentials);
    const { facts, apply } = await prepare({ ...options, source }).catch((error: unknown) => {
      destroy();
      throw error;
    });
    return { facts, apply: () => apply().finally(destroy) };
  };
}

/** Calculates the cost of a month, line by line. It makes no request. */
export function cost({ config, table, ...load }: CostOptions): CostReport {
  const usual = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24, copies: 1 };
  const tables = chooseTables(checkConfig(config), table);
  const { facts, bill } = monthlyCost({ ...usual, ...load, tables });
  return { ...facts, ...bill };
}

export { type DeploymentConfig, InvalidConfigError } from '../config/config.ts';
export { ConfigFileError } from '../config/config-file.ts';
export { loadConfig } from '../config/load-config.ts';
export { PreciseTtlError } from '../expiry/errors.ts';
export type { AuditOptions, AuditReport } from './audit/report.ts';
export { NoAnswerError } from './aws/no-answer.ts';
export type {
  BackfillOptions,
  BackfillResult,
  DrillOptions,
  DrillResult,
  IndexScanOptions,
  IndexScanResult,
  LimitOptions,
  LimitResult,
  PauseOptions,
  PauseResult,
  ReplayOptions,
  ReplayResult,
  RestoreOptions,
  RestoreResult,
  ResumeOptions,
  ResumeResult,
} from './changes.ts';
export type { CostOptions, CostReport } from './cost.ts';
export type { DoctorOptions, DoctorReport } from './doctor/report.ts';
export {
  ArchivedLineError,
  ArchiveNotFoundError,
  ArchiveUnreadableError,
  BackfillError,
  InputError,
  JournalNotFoundError,
  MissingPermissionError,
  ScratchTableError,
  StateMachineNotFoundError,
  StoppedError,
  TableNotFoundError,
} from './errors.ts';
export type { HistoryOptions, HistoryReport } from './history/report.ts';
export type { OperateOptions, WorkDone } from './options.ts';
export type { ProofOptions, ProofReport } from './proof/report.ts';
export type { StatusOptions, StatusReport } from './status/report.ts';
