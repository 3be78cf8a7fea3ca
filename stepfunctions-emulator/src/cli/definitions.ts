import { readFileSync } from 'node:fs';
import { NO_LOGGING, NO_TRACING } from '../api/index.ts';
import type { NewStateMachine } from '../api/state-machine.ts';
import { InvalidDefinitionError, loadDefinition } from '../interpreter/index.ts';
import { StartError } from './errors.ts';
import type { DefinitionFile, ServerOptions } from './options.ts';

/** @throws {StartError} */
export function readDefinition(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const got = { ENOENT: 'no file', EISDIR: 'a folder', EACCES: 'a file that may not be read' }[code ?? ''];
    throw new StartError(`--definition ${file}: expected a file with a definition, got ${got ?? message}`);
  }
}

/**
 * Reads the state machine that a file defines.
 * @throws {StartError} with every problem of the definition on a line of its own
 */
export function machineOf(
  { name, file, type }: DefinitionFile,
  definitionText: string,
  { partition, region, account, roleArn }: ServerOptions,
): NewStateMachine {
  return {
    arn: `arn:${partition}:states:${region}:${account}:stateMachine:${name}`,
    name,
    type,
    roleArn,
    definitionText,
    definition: load(file, definitionText, type),
    loggingConfiguration: NO_LOGGING,
    tracingConfiguration: NO_TRACING,
  };
}

function load(file: string, text: string, type: DefinitionFile['type']) {
  try {
    return loadDefinition(text, type);
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    const problems = error.problems.map(
      ({ path, expected, got }) => `  ${path || '/'}: expected ${expected}, got ${got}`,
    );
    throw new StartError(
      [`${file}: expected a ${type} definition that can be run, got:`, ...problems].join('\n'),
    );
  }
}
