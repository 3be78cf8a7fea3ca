import { readdirSync, readFileSync } from 'node:fs';
import { PreciseTtlError } from '../../expiry/errors.ts';

/** What a process holds at one moment, by the system's own count. */
export interface ProcessMemory {
  /** Resident memory, MB of 1,048,576 bytes. */
  readonly residentMb: number;
  readonly threads: number;
}

/** This system doesn't say what another process holds. */
export class NoProcessMemoryError extends PreciseTtlError {
  override readonly name = 'NoProcessMemoryError';
}

/** @throws {NoProcessMemoryError} */
export function requireProcessMemory(): void {
  if (memoryOf(process.pid) !== undefined) return;
  throw new NoProcessMemoryError(
    `/proc/${process.pid}/status: expected Linux's file about this process, got none on ${process.platform}; run it on Linux`,
  );
}

/** undefined for a process that is gone. Source: proc_pid_status(5). */
export function memoryOf(pid: number): ProcessMemory | undefined {
  const status = read(`/proc/${pid}/status`);
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const [residentKb, threads] = [field('VmRSS'), field('Threads')];
  return Number.isNaN(residentKb) || Number.isNaN(threads)
    ? undefined
    : { residentMb: residentKb / 1024, threads };
}

/** The process, below another one, in whose command line a text occurs. */
export function findBelow(pid: number, text: string): number | undefined {
  for (const child of childrenOf(pid)) {
    const found = isJava(child, text) ? child : findBelow(child, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A shell that watches over a process has that one's command in its own line. */
function isJava(pid: number, text: string): boolean {
  const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0');
  return program.endsWith('java') && args.some(arg => arg.includes(text));
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
