import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RandomSource } from 'stepfunctions-emulator';

export interface KilledProcessOptions {
  readonly program: URL;
  /** The first message of every process. */
  readonly start: object;
  readonly kills: number;
  readonly random: RandomSource;
  /** How much of all the work is done, from 0 to 1. */
  readonly progress: () => number;
  /** Whether there was work for the process at its end. Asked after a kill, before the next process begins. */
  readonly hadWork: () => boolean;
  /** @param reply sends a message to the process that sent this one */
  readonly onMessage: (message: unknown, reply: (message: object) => void) => void;
  readonly onKill: (kills: number) => void;
  readonly onProblem: (problem: string) => void;
}

/** Kills come at random shares of the work up to this one. */
const LAST_SHARE = 0.9;
/** And this much later at most, milliseconds. */
const MOST_DELAY_MS = 1_000;
const LOOK_MS = 20;

/** A process that does some work, killed by SIGKILL at random moments and started again. */
export class KilledProcess {
  /** All kills, and those that hit a process which had work. */
  kills = 0;
  killsAtWork = 0;
  readonly #options: KilledProcessOptions;
  /** Temporary files: a process that is killed leaves its own behind. */
  readonly #temporary = mkdtempSync(join(tmpdir(), 'precise-ttl-killed-'));
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #works = false;

  constructor(options: KilledProcessOptions) {
    this.#options = options;
  }

  /** Starts it, and returns after the last kill, with a process that works on. */
  async run(): Promise<void> {
    const { kills, random, progress, hadWork, onKill } = this.#options;
    const shares = Array.from({ length: kills }, () => random.next() * LAST_SHARE).sort(
      (one, other) => one - other,
    );
    this.#begin();
    for (const share of shares) {
      while ((progress() < share || !this.#works) && !this.#stopping.signal.aborted) await sleep(LOOK_MS);
      await sleep(random.next() * MOST_DELAY_MS, undefined, { signal: this.#stopping.signal }).catch(
        () => {},
      );
      if (this.#stopping.signal.aborted) return;
      await this.#kill();
      this.kills += 1;
      if (hadWork()) this.killsAtWork += 1;
      onKill(this.kills);
      this.#begin();
    }
  }

  /** The process has begun to work: from now on it may be killed. */
  works(): void {
    this.#works = true;
  }

  tell(message: object): void {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#kill();
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  #begin(): void {
    const { program, start, onMessage, onProblem } = this.#options;
    const child = fork(program, {
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: this.#temporary },
      execArgv: [],
    });
    this.#child = child;
    this.#works = false;
    child.on('message', message =>
      onMessage(message, reply => child.connected && child.send(reply, () => {})),
    );
    child.on('error', error => onProblem(`${program.pathname}: ${error}`));
    child.on('exit', (code, signal) => {
      if (signal !== 'SIGKILL') onProblem(`a process ended by itself: ${signal ?? `exit status ${code}`}`);
    });
    this.tell(start);
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
