import { parseArgs } from 'node:util';
import { UsageError } from './errors.ts';

interface Flag {
  /** Name of the value in the help; absent for a flag without a value. */
  readonly value?: string;
  /** Whether the flag may be repeated. */
  readonly many?: boolean;
  readonly help: string;
}

const FLAGS = {
  definition: {
    value: '[NAME=]FILE',
    many: true,
    help: 'a state machine; without NAME it is named after the file. As often as needed, or never',
  },
  type: {
    value: '[NAME=]TYPE',
    many: true,
    help: 'STANDARD (the default) or EXPRESS: of every state machine, or of NAME',
  },
  port: { value: 'N', help: 'where the API listens, on 127.0.0.1 only; 0 for a free port (default 8083)' },
  functions: {
    value: 'FILE',
    help: 'a module of mocks: functions by their names, or a default export of them',
  },
  'lambda-endpoint': {
    value: 'URL',
    help: 'where the other functions are invoked, on this machine (default AWS_ENDPOINT_URL_LAMBDA)',
  },
  watch: { help: 'load a definition again when its file changes' },
  'virtual-clock': { help: 'waits, timeouts and backoff take no time' },
  'express-again': {
    value: 'SECONDS',
    many: true,
    help: 'run each Express execution once more after so long, as AWS may; as often as needed',
  },
  region: { value: 'REGION', help: 'of every ARN (default us-east-1)' },
  account: { value: 'ID', help: 'of every ARN (default 123456789012)' },
  role: { value: 'ARN', help: 'of the state machines (default a made-up one)' },
  help: { help: 'show this' },
  version: { help: 'show the version' },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

/** Flag → its values in order; an empty string for a flag without a value. */
export type FlagValues = ReadonlyMap<FlagName, readonly string[]>;

const NAMES = Object.keys(FLAGS).map(name => `--${name}`);

/**
 * Reads a command line: `--name value` or `--name=value`.
 *
 * @throws {UsageError}
 */
export function readFlags(args: readonly string[]): FlagValues {
  const values = new Map<FlagName, string[]>();
  // Flags are checked here: the messages of parseArgs name neither the allowed values nor a remedy.
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(FLAGS).map(([name, flag]) => [name, { type: 'value' in flag ? 'string' : 'boolean' }]),
    ),
  });
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      throw new UsageError(
        `expected flags, got "${token.value}"; for a definition write --definition ${token.value}`,
      );
    }
    const name = NAMES.includes(token.rawName) ? (token.name as FlagName) : undefined;
    if (name === undefined) {
      throw new UsageError(`${token.rawName}: expected one of ${NAMES.join(', ')}; see --help`);
    }
    const given = values.get(name) ?? [];
    if (given.length > 0 && !('many' in FLAGS[name])) {
      throw new UsageError(`--${name}: expected once, got it twice; leave one out`);
    }
    values.set(name, [...given, readValue(name, token.value, token.inlineValue === true)]);
  }
  return values;
}

function readValue(name: FlagName, value: string | undefined, inline: boolean): string {
  const flag: Flag = FLAGS[name];
  if (flag.value === undefined) {
    if (value === undefined) return '';
    throw new UsageError(`--${name}: expected no value, got "${value}"; write --${name} alone`);
  }
  if (value === undefined || value === '') {
    throw new UsageError(`--${name}: expected a value, got nothing; write --${name} ${flag.value}`);
  }
  if (!inline && value.startsWith('--')) {
    throw new UsageError(
      `--${name}: expected a value, got the flag "${value}"; write --${name}=${value} if it is meant`,
    );
  }
  return value;
}

/** Describes the flags, one on each line. */
export function describeFlags(): string {
  const rows = Object.entries(FLAGS).map(([name, flag]) => [
    'value' in flag ? `--${name} ${flag.value}` : `--${name}`,
    flag.help,
  ]);
  const width = Math.max(...rows.map(([usage = '']) => usage.length));
  return rows.map(([usage = '', help]) => `  ${usage.padEnd(width)}  ${help}`).join('\n');
}
