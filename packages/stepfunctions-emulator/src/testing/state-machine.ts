import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAllowedName } from '../interpreter/index.ts';
import { HarnessError } from './errors.ts';
import { type MachineOptions, TestedStateMachine } from './tested-state-machine.ts';

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${Name}` in a definition's text, as DefinitionSubstitutions of CloudFormation, SAM and CDK do.
 *
 * @param source where the definition comes from, for messages
 * @throws {HarnessError} when a placeholder has no value, or a value no placeholder
 */
function substitute(
  text: string,
  substitutions: Readonly<Record<string, string>> = {},
  source: string,
): string {
  const missing = new Set<string>();
  const used = new Set<string>();
  const result = text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = Object.hasOwn(substitutions, name) ? substitutions[name] : undefined;
    if (value === undefined) {
      missing.add(name);
      return placeholder;
    }
    used.add(name);
    // Escaped for a JSON string.
    return JSON.stringify(value).slice(1, -1);
  });
  if (missing.size > 0) {
    const names = [...missing];
    throw new HarnessError(
      `${source} has ${names.map(name => `\${${name}}`).join(', ')}; give values: substitutions: { ` +
        `${names.map(name => `${name}: functionArn('…')`).join(', ')} }`,
    );
  }
  const unused = Object.keys(substitutions).filter(name => !used.has(name));
  if (unused.length === 0) return result;
  throw new HarnessError(
    `substitutions: expected names that stand in ${source} as \${Name}, got ${unused.join(', ')}`,
  );
}

export interface DefinitionOptions extends MachineOptions {
  /** Name of the state machine, in its ARN and its context. @default the file's name, or StateMachine */
  readonly name?: string;
  /** Values for `${Name}` in the definition, as DefinitionSubstitutions of CloudFormation, SAM and CDK. */
  readonly substitutions?: Readonly<Record<string, string>>;
}

/** Creates the state machine under test. */
export const stateMachine = {
  /**
   * Creates it from a definition in the Amazon States Language: an object, or its JSON text.
   * @throws {InvalidDefinitionError}
   * @throws {HarnessError} when a placeholder has no value
   */
  from(definition: string | object, options: DefinitionOptions = {}): TestedStateMachine {
    const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
    return machineOf(text, options.name ?? 'StateMachine', options, 'the definition');
  },

  /**
   * Creates it from a file with a definition.
   * @param path a URL, or a path from the working directory
   * @throws {InvalidDefinitionError}
   * @throws {HarnessError} when the file can't be read, or a placeholder has no value
   */
  fromFile(path: string | URL, options: DefinitionOptions = {}): TestedStateMachine {
    const file = pathOf(path);
    const name = options.name ?? nameOf(file);
    return machineOf(read(file), name, options, file);
  },
};

function machineOf(
  text: string,
  name: string,
  { substitutions, ...options }: DefinitionOptions,
  source: string,
): TestedStateMachine {
  return new TestedStateMachine(name, substitute(text, substitutions, source), options);
}

const pathOf = (path: string | URL): string => (typeof path === 'string' ? path : fileURLToPath(path));

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as Error).message;
    throw new HarnessError(
      `fromFile: expected a file that can be read, from the folder ${process.cwd()}; ${reason}`,
    );
  }
}

/** `orders.asl.json` → `orders`. */
function nameOf(file: string): string {
  const name = basename(file).split('.')[0] ?? '';
  return isAllowedName(name) ? name : 'StateMachine';
}
