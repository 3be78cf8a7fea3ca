import { statSync } from 'node:fs';
import type { StateMachines } from '../api/index.ts';
import { machineOf, readDefinition } from './definitions.ts';
import type { DefinitionFile, ServerOptions } from './options.ts';

export interface ReloadEvents {
  readonly onReload: (file: string) => void;
  /** Called when a changed file cannot be loaded; the state machine is not changed. */
  readonly onReloadFailure: (error: Error) => void;
}

/** Editors replace a file when they save it; polling the path notices every replacement. */
const LOOK_EVERY_MS = 250;

/**
 * Updates a state machine when its file has changed. Running executions keep the definition they were started with.
 * @returns ends it
 */
export function watchDefinitions(
  options: ServerOptions,
  stateMachines: StateMachines,
  events: ReloadEvents,
): () => void {
  const looks = options.definitions.map(source => look(source, options, stateMachines, events));
  const timer = setInterval(() => {
    for (const one of looks) one();
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

function look(
  source: DefinitionFile,
  options: ServerOptions,
  stateMachines: StateMachines,
  { onReload, onReloadFailure }: ReloadEvents,
): () => void {
  const { file } = source;
  // The file is compared by its text and not by its time, because it may have changed since it was read.
  let known = stateMachines.all.find(({ name }) => name === source.name)?.definitionText;
  let stamp: string | undefined;
  return () => {
    const found = stampOf(file);
    if (found === stamp) return;
    stamp = found;
    try {
      const text = readDefinition(file);
      if (text === known) return;
      known = text;
      const { arn, definition, definitionText } = machineOf(source, text, options);
      stateMachines.update(arn, { definition, definitionText });
      onReload(file);
    } catch (error) {
      known = undefined;
      onReloadFailure(error as Error);
    }
  };
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.mtimeMs} ${found.size}`;
}
