import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/interpreter/index.ts';

/** Executions recorded on AWS; see the README beside them. They are no part of this repository. */
const CASES = join(import.meta.dirname, '../../../../../shared/conformance/asl-jsonata-cases.json');

export type Behaviour = 'echo' | 'raise' | 'raise-custom' | 'hang' | 'large-output' | 'bytes';

export interface RecordedCase {
  readonly name: string;
  readonly definition: unknown;
  readonly input: Json;
  readonly functions: Record<string, Behaviour>;
  readonly expected: {
    readonly status: string;
    readonly output?: Json;
    readonly error?: string | null;
    readonly cause?: string | null;
    readonly events: readonly string[];
  };
}

const STATUS: Record<string, string> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  TIMED_OUT: 'TimedOut',
  ABORTED: 'Aborted',
};

/** The recordings put a fixed word where a value differs from run to run: `date`, `RequestId`, `<uuid:1>`. */
const PLACEHOLDERS = new Set(['date', 'RequestId', 'x-amzn-RequestId', 'X-Amzn-Trace-Id']);
/** Not compared, as the README of the cases says. */
const UNCOMPARED = new Set(['SdkHttpMetadata', 'SdkResponseMetadata', 'Cause']);

function matches(expected: Json, got: Json | undefined): boolean {
  if (typeof expected === 'string' && (PLACEHOLDERS.has(expected) || /^<.*>$/.test(expected)))
    return got !== undefined;
  if (expected === null || typeof expected !== 'object') return Object.is(expected, got);
  if (got === null || typeof got !== 'object' || Array.isArray(expected) !== Array.isArray(got)) return false;
  const wanted = Object.entries(expected);
  const found = Object.keys(got);
  return (
    wanted.length === found.length &&
    wanted.every(([key, value]) => UNCOMPARED.has(key) || matches(value, (got as Record<string, Json>)[key]))
  );
}

/** Outputs that aren't objects were recorded as their JSON text. */
function sameOutput(expected: Json, got: Json): boolean {
  if (matches(expected, got)) return true;
  try {
    return typeof expected === 'string' && matches(JSON.parse(expected) as Json, got);
  } catch {
    return false;
  }
}

/** Lambda's JSON about what a function threw names the file and the line, which are others here. */
const isOfFunction = (cause: string | null | undefined): boolean => cause?.startsWith('{') ?? false;

/** How an execution ended here. */
export interface Ended {
  readonly status: string;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly events: readonly string[];
}

export interface Verdict {
  readonly outcome: boolean;
  readonly cause: boolean;
  readonly events: boolean;
  readonly silentlyWrong: boolean;
}

/** Holds an execution against what AWS recorded. */
export function judge(
  { expected }: RecordedCase,
  { output, error, cause, events, ...ended }: Ended,
): Verdict {
  const status = STATUS[ended.status];
  const outcome =
    status === expected.status &&
    (status === 'Succeeded'
      ? sameOutput(expected.output ?? null, output ?? null)
      : (error ?? null) === (expected.error ?? null));
  return {
    outcome,
    cause: isOfFunction(expected.cause) || (cause ?? null) === (expected.cause ?? null),
    events: JSON.stringify(events) === JSON.stringify(expected.events),
    silentlyWrong: status === 'Succeeded' && !outcome,
  };
}

export const available = existsSync(CASES);
export const cases = available ? (JSON.parse(readFileSync(CASES, 'utf8')) as RecordedCase[]) : [];

if (!available) console.warn(`No recorded executions at ${CASES}: the conformance test is skipped.`);
