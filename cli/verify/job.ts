import type { Checked } from '../../operate/deployment/check.ts';
import type { Time } from './clocks.ts';
import { LIFETIME_SECONDS, SETTLE_SECONDS } from './configuration.ts';
import { EXPERIMENTS, type Experiment, type Finding } from './experiments.ts';
import { observe, type Verified, type VerifyClients } from './observe.ts';
import type { Seen } from './seen.ts';

export interface Judged {
  readonly experiment: Experiment;
  readonly finding: Checked<Finding>;
}

function judge(seen: Seen): Judged[] {
  return EXPERIMENTS.map(experiment => ({ experiment, finding: experiment.judge(seen) }));
}

export function isBroken({ finding }: Judged): boolean {
  return 'seen' in finding && !finding.seen.kept;
}

/** The report as JSON. */
interface VerifyReport {
  readonly region: string;
  readonly minutes: number;
  /** `kept` is null if the experiment was not measured. */
  readonly experiments: readonly {
    readonly id: string;
    readonly criterion: string;
    readonly kept: boolean | null;
    readonly measured?: object;
    readonly because?: string;
    readonly notMeasured?: string;
  }[];
}

/** The report to send to us, without anything that names the account. */
function asJson(judged: readonly Judged[], about: Pick<VerifyReport, 'region' | 'minutes'>): VerifyReport {
  const experiments = judged.map(({ experiment: { id, criterion }, finding }) =>
    'seen' in finding
      ? {
          ...{ id, criterion, kept: finding.seen.kept, measured: finding.seen.measured },
          ...(finding.seen.because !== undefined && { because: withoutNames(finding.seen.because) }),
        }
      : { id, criterion, kept: null, notMeasured: withoutNames(finding.notChecked.reason) },
  );
  return { ...about, experiments };
}

/** Removes ARNs, account ids and URLs from a text, because AWS's messages may contain them. */
export function withoutNames(text: string): string {
  return text
    .replaceAll(/\barn:[^\s"',;)]+/g, 'arn:…')
    .replaceAll(/\b\d{12}\b/g, '…')
    .replaceAll(/\bhttps?:\/\/\S+/g, 'https://…');
}

const LABELS = { kept: 'kept      ', broken: 'NOT KEPT  ', unknown: 'not known ' } as const;

/** A table of measured and promised values. */
function describeReport(judged: readonly Judged[]): string {
  const lines = judged.flatMap(each => {
    const { experiment, finding } = each;
    const { id, criterion, otherwise } = experiment;
    if (!('seen' in finding))
      return [`${LABELS.unknown}${id}: not measured here: ${finding.notChecked.reason}`];
    const { measured, because } = finding.seen;
    const numbers = Object.entries(measured).map(([name, value]) => inWords(name, value));
    const head = `${isBroken(each) ? LABELS.broken : LABELS.kept}${id}: ${numbers.join(', ')} (${criterion})`;
    if (!isBroken(each)) return [head];
    return [head, ...(because === undefined ? [] : [`          ${because}`]), `          ${otherwise}`];
  });
  const broken = judged.filter(isBroken).length;
  const unknown = judged.filter(({ finding }) => !('seen' in finding)).length;
  const kept = judged.length - broken - unknown;
  return `${lines.join('\n')}\n\n${kept} of ${judged.length} kept, ${broken} not kept, ${unknown} not measured`;
}

const UNITS: Readonly<Record<string, string>> = { Seconds: ' s', Ms: ' ms' };

/** Formats a measured value: `p99Seconds` and 1.5 become `p99 1.5 s`. */
function inWords(name: string, value: number): string {
  const [, words = '', unit = ''] = /^(.*?)(Seconds|Ms)?$/.exec(name) ?? [];
  // Names of states are not converted to lower case.
  const lower = /^[A-Z]/.test(words)
    ? words
    : words.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
  return `${lower} ${Number(value.toPrecision(4))}${UNITS[unit] ?? ''}`;
}

/** Creates what is verified, and removes it. */
export interface Deployer {
  /** Removes what an earlier run has left behind. @returns whether there was something */
  removeLeft(): Promise<boolean>;
  /** Deploys; undefined if that failed, after the reason was printed. */
  deploy(): Promise<Verified | undefined>;
  /** Removes everything that was created. Safe to call more than once. */
  remove(): Promise<void>;
}

export interface VerifyOptions {
  readonly deployer: Deployer;
  readonly clients: VerifyClients;
  readonly time: Time;
  readonly region: string;
  /** Minutes from the first written item to the report. */
  readonly minutes: number;
  readonly print: (text: string) => void;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

const NOT_THERE = { notChecked: { reason: 'it was not deployed', isLocal: false } };

const NOT_DEPLOYED: Seen = {
  deployment: { seen: { unchanged: false } },
  ...{ coldStarts: NOT_THERE, depth: NOT_THERE, skew: NOT_THERE, replays: NOT_THERE, indexLags: NOT_THERE },
  ...{ items: NOT_THERE, expiries: NOT_THERE, rows: NOT_THERE, metrics: NOT_THERE, calculatedGbSeconds: 0 },
};

/**
 * Deploys, runs the experiments, removes everything, and reports.
 *
 * @returns the report, without anything that names the account
 * @throws the reason of the signal, after everything was removed
 */
export async function runVerify(options: VerifyOptions): Promise<VerifyReport> {
  const { deployer, clients, time, minutes, print, onProgress, signal, region } = options;
  if (await deployer.removeLeft()) print('What an earlier run has left is taken away.');
  let seen: Seen;
  try {
    const verified = await deployer.deploy();
    signal.throwIfAborted();
    const writingMs = minutes * 60_000 - (LIFETIME_SECONDS + SETTLE_SECONDS) * 1000;
    const settleMs = SETTLE_SECONDS * 1000;
    seen =
      verified === undefined
        ? NOT_DEPLOYED
        : await observe({ verified, clients, time, writingMs, settleMs, onProgress });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    onProgress('');
    await deployer.remove();
    print('Everything that was made is taken away again.');
  }
  const judged = judge(seen);
  print(describeReport(judged));
  return asJson(judged, { region, minutes });
}
