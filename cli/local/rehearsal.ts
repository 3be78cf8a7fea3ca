import type { Incident, Rehearsal, RehearsalOptions } from '../../local/rehearsal.ts';
import { commandLine } from '../../operate/command-line.ts';
import { FlagError } from '../flags.ts';
import { describeDuration, readDuration } from '../times.ts';
import { localTime } from './log-line.ts';

/** The values of `--break` besides `clock=±TIME`; the help and the error message list them. */
export const INCIDENT_KINDS = ['throttle', 'down', 'hang', 'slow'] as const;

const SKEW = { least: '1s', most: '10m' } as const;
const LENGTH = { least: '1s', most: '1d' } as const;

/**
 * Reads `--break` and `--for`.
 * @returns undefined if neither is given
 * @throws {FlagError}
 */
export function readRehearsal(
  broken: string | undefined,
  length: string | undefined,
): RehearsalOptions | undefined {
  if (broken === undefined) {
    if (length === undefined) return undefined;
    throw new FlagError(
      `--for: expected beside --break, got ${length} alone; write --break down --for ${length}`,
    );
  }
  const incident = readIncident(broken);
  return { incident, forMs: length === undefined ? undefined : readDuration('--for', length, LENGTH) };
}

function readIncident(text: string): Incident {
  const kind = INCIDENT_KINDS.find(each => each === text);
  if (kind !== undefined) return { kind };
  const [, sign, skew] = /^clock=([+-])(\w+)$/.exec(text) ?? [];
  if (skew === undefined) {
    throw new FlagError(
      `--break: expected ${INCIDENT_KINDS.join(', ')}, or clock= with a sign and a time, such as clock=+2s, got "${text}"`,
    );
  }
  return { kind: 'clock', aheadMs: readDuration('--break clock', skew, SKEW) * (sign === '-' ? -1 : 1) };
}

/** `from 09:01:30Z to 09:03:30Z: DynamoDB refuses every connection` */
export function describePlan({ from, until, what }: Rehearsal): string {
  return `from ${localTime(from)} ${until === undefined ? 'on' : `to ${localTime(until)}`}: ${what}`;
}

/** Says what to read and which commands to try during the rehearsal. */
export function describePlay({ section }: Rehearsal): string[] {
  return [
    `The incident is the section ${section} of docs/reference/alarms.md. Before it, while it lasts, and after it:`,
    '',
    commandLine('status'),
  ];
}

/** Reports on one line that the incident has begun, has ended, or failed. @param now epoch milliseconds */
export function describeChange(rehearsal: Rehearsal, now: number, error?: unknown): string {
  const { isOn, what, from, until, section } = rehearsal;
  const at = `${localTime(now)}  --break  `;
  if (error !== undefined) return `${at}${isOn ? 'did not begin' : 'did not end'}: ${error}`;
  if (!isOn)
    return `${at}over after ${describeDuration(now - from)}; how you see it: ${section} in docs/reference/alarms.md`;
  return `${at}${what}, ${until === undefined ? 'until this command ends' : `until ${localTime(until)}`}`;
}
