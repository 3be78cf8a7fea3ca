import type { Time } from './clocks.ts';
import { LIFETIME_SECONDS, SETTLE_SECONDS } from './configuration.ts';
import { observe, type Verified, type VerifyClients } from './observe.ts';
import { asJson, describeReport, judge, type VerifyReport } from './report.ts';
import type { Seen } from './seen.ts';

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
