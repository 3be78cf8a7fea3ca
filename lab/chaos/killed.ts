import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import type { FaultCounts, FaultName } from '../faults/index.ts';
import type { Indexed } from './indexed.ts';
import type { StartedHandOver } from './runner.ts';
import type { FromRunner, ToRunner } from './runner-process.ts';
import type { Sweeping, SweepingOptions } from './sweeping.ts';

export interface KillingOptions extends SweepingOptions {
  readonly kills: number;
  /** Period over which the kills are spread, milliseconds. */
  readonly withinMs: number;
  readonly onKill: (kills: number) => void;
}

/**
 * Runs sweeps in processes that are killed with SIGKILL at random moments, one after another on the same DynamoDB. Each continues the
 * hand-overs of the earlier ones: Step Functions does not lose a Standard execution.
 */
export class KilledSweeping implements Sweeping {
  readonly #options: KillingOptions;
  readonly #startMs = Date.now();
  /** Folder for temporary files of the runners: a killed runner does not remove them. */
  readonly #temporary = mkdtempSync(join(tmpdir(), 'precise-ttl-chaos-'));
  readonly #stopping = new AbortController();
  readonly #killing: Promise<void>;
  /** Hand-overs that have not ended, by name. */
  readonly #handOvers = new Map<string, StartedHandOver>();
  /** Counts of the runners that were killed. */
  readonly #counts = new Map<FaultName, number>();
  #child: ChildProcess | undefined;
  #childCounts: FaultCounts = {};
  #idle: (() => void) | undefined;
  #kills = 0;

  constructor(options: KillingOptions) {
    this.#options = options;
    this.#begin();
    this.#killing = this.#killAtRandom(seededRandom(options.seed + 2));
  }

  get kills(): number {
    return this.#kills;
  }

  get counts(): FaultCounts {
    const counts = new Map(this.#counts);
    addTo(counts, this.#childCounts);
    return Object.fromEntries(counts);
  }

  remember(indexed: Indexed): void {
    this.#tell({ kind: 'remember', indexed });
  }

  async wind(deadline: number): Promise<boolean> {
    await this.#killing;
    const idle = new Promise<boolean>(resolve => {
      this.#idle = () => resolve(true);
    });
    this.#tell({ kind: 'wind' });
    return Promise.race([idle, sleep(Math.max(0, deadline - Date.now()), false, { ref: false })]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#killing;
    await this.#end();
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  async #killAtRandom(random: RandomSource): Promise<void> {
    const { kills, withinMs, onKill } = this.#options;
    const moments = Array.from({ length: kills }, () => this.#startMs + random.next() * withinMs);
    for (const moment of moments.sort((one, other) => one - other)) {
      await sleep(Math.max(0, moment - Date.now()), undefined, { signal: this.#stopping.signal }).catch(
        () => {},
      );
      if (this.#stopping.signal.aborted) return;
      await this.#end();
      this.#kills += 1;
      onKill(this.#kills);
      this.#begin();
    }
  }

  #begin(): void {
    const { stack, environment, checkpointFile, seed, rates, tableName, onEnd, onProblem } = this.#options;
    const child = fork(new URL('./runner-process.ts', import.meta.url), {
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: this.#temporary },
      execArgv: [],
    });
    this.#child = child;
    child.on('message', (message: FromRunner) => {
      if (message.kind === 'problem') onProblem(message.problem);
      else this.#childCounts = message.counts;
      if (message.kind === 'handOver') this.#handOvers.set(message.started.name, message.started);
      if (message.kind === 'ended') {
        this.#handOvers.delete(message.ended.name);
        onEnd(message.ended);
      }
      if (message.kind === 'idle') this.#idle?.();
    });
    child.on('error', error => onProblem(`the runner's process: ${error}`));
    child.on('exit', (code, signal) => {
      if (signal !== 'SIGKILL') onProblem(`the runner ended by itself: ${signal ?? `exit status ${code}`}`);
    });
    // Each process has other faults.
    const handOvers = [...this.#handOvers.values()];
    const options = {
      ...{ stack, environment, checkpointFile, rates, handOvers },
      seed: seed + 10 * this.#kills,
    };
    this.#tell({ kind: 'start', options, tableName });
  }

  #tell(message: ToRunner): void {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    addTo(this.#counts, this.#childCounts);
    this.#childCounts = {};
  }
}

function addTo(sum: Map<FaultName, number>, counts: FaultCounts): void {
  for (const [name, count] of Object.entries(counts) as [FaultName, number][]) {
    sum.set(name, (sum.get(name) ?? 0) + count);
  }
}
