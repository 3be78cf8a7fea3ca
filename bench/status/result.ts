import { PHASES } from './script.ts';

/** What the looks of a phase came to. */
export interface PhaseResult {
  readonly phase: string;
  looks: number;
  /** Looks that said something that is not true. */
  falseStatements: number;
  falseCauses: number;
  /** Looks whose `overdue` was a number, and those where it was a lower bound with its reason. */
  exact: number;
  lowerBounds: number;
  /** Looks that told how what is overdue becomes less, and how many of them were wrong. */
  trends: number;
  falseTrends: number;
  /** How often each cause stood in the first line. */
  readonly causes: Record<string, number>;
  readonly tookMs: number[];
}

export interface StatusResult {
  readonly phases: readonly PhaseResult[];
  readonly problems: readonly string[];
}

/** No look may take longer, milliseconds. */
const MOST_MS = 15_000;

export function noResults(): PhaseResult[] {
  return PHASES.map(({ name }) => ({
    phase: name,
    looks: 0,
    falseStatements: 0,
    falseCauses: 0,
    exact: 0,
    lowerBounds: 0,
    trends: 0,
    falseTrends: 0,
    causes: {},
    tookMs: [],
  }));
}

/** Everything that is wrong with it. */
export function resultProblems({ phases, problems }: StatusResult): string[] {
  const slow = phases.flatMap(({ phase, tookMs }) =>
    tookMs.filter(ms => ms > MOST_MS).map(ms => `${phase}: a look took ${(ms / 1000).toFixed(1)} s`),
  );
  return [...problems, ...slow];
}

/** How long the looks of a phase took, milliseconds. */
function took({ tookMs }: PhaseResult): { readonly p50: number; readonly max: number } {
  const sorted = tookMs.toSorted((one, other) => one - other);
  return { p50: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** As a file has it. */
export function resultJson({ phases, problems }: StatusResult): object {
  return { phases: phases.map(phase => ({ ...phase, tookMs: took(phase) })), problems };
}

export function resultTable({ phases }: StatusResult): string {
  const rows = phases.map(phase => {
    const { p50, max } = took(phase);
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    const causes = Object.entries(phase.causes).map(([id, looks]) => `${id} ${looks}`);
    return `| ${phase.phase} | ${phase.looks} | ${phase.falseStatements} | ${phase.falseCauses} | ${phase.exact} | ${phase.lowerBounds} | ${phase.falseTrends} of ${phase.trends} | ${seconds(p50)} s | ${seconds(max)} s | ${causes.join(', ') || '–'} |`;
  });
  return [
    '| phase | looks | false statements | false causes | overdue exact | lower bounds | false rates | look p50 | max | causes |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|---|',
    ...rows,
  ].join('\n');
}
