import type { SweepReport } from '../../statemachine/contract.ts';
export interface Watermark { readonly gone: number; readonly at: string }
export interface DeploymentState {
  readonly control: {
    readonly pauses: Readonly<Record<string, { readonly since: string; readonly until?: string }>>;
    readonly limits: Readonly<Record<string, number>>;
    readonly handOvers: Readonly<Record<string, { readonly before: number; readonly until: number; readonly execution: string }>>;
  };
  readonly watermarks: { readonly tick?: string; readonly tables: Readonly<Record<string, Watermark>> };
}
export function isPaused({ control }: DeploymentState, table: string, nowMs: number): boolean {
  const pause = control.pauses[table];
  return pause !== undefined && (pause.until === undefined || Date.parse(pause.until) > nowMs);
}
export function liveHandOver({ control }: DeploymentState, table: string, nowMs: number) {
  const one = control.handOvers[table];
  return one !== undefined && one.until * 1000 > nowMs ? one : undefined;
}
export interface SweepRow { readonly table: string; readonly kind: 'tick' | 'replay' | 'handOver'; readonly execution: string; readonly startedAt: string; readonly endedAt: string; readonly report: SweepReport }
export const rowOf = (row: SweepRow): SweepRow => row;
