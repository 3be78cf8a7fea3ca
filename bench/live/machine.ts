import { availableParallelism, cpus, loadavg } from 'node:os';

/** Where and when something was measured. Absolute numbers mean little without it. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  /** Load average of the last minute before the run: what else the machine was busy with. */
  readonly loadBefore: number;
  /** ISO-8601, when the run began. */
  readonly date: string;
}

export function thisMachine(): Machine {
  return {
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    date: new Date().toISOString(),
  };
}

/** One line for a person. */
export function describeMachine({ node, cores, processor, loadBefore, date }: Machine): string {
  return `Node ${node}, ${cores} cores (${processor}), load ${loadBefore} before, ${date}`;
}
