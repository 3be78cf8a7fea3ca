import type { Checked } from '../../operate/deployment/check.ts';
import { EXPERIMENTS, type Experiment, type Finding } from './experiments.ts';
import type { Seen } from './seen.ts';

export interface Judged {
  readonly experiment: Experiment;
  readonly finding: Checked<Finding>;
}

export function judge(seen: Seen): Judged[] {
  return EXPERIMENTS.map(experiment => ({ experiment, finding: experiment.judge(seen) }));
}

export function isBroken({ finding }: Judged): boolean {
  return 'seen' in finding && !finding.seen.kept;
}

/** The report as JSON. */
export interface VerifyReport {
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
export function asJson(
  judged: readonly Judged[],
  about: Pick<VerifyReport, 'region' | 'minutes'>,
): VerifyReport {
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
export function describeReport(judged: readonly Judged[]): string {
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
