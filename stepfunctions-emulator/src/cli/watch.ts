import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import type { StateMachines } from '../api/index.ts';
import { readMachine } from './definitions.ts';
import type { ServerOptions } from './options.ts';

export interface ReloadEvents {
  readonly onReload: (file: string) => void;
  /** A file that changed can't be loaded; the state machine stays as it was. */
  readonly onReloadFailure: (error: Error) => void;
}

/** Editors put another file in the place of the one that they change; looking at the path misses none of them. */
const LOOK_EVERY_MS = 250;

/**
 * Updates a state machine when its file has changed. Executions that run keep the definition they were started with.
 *
 * @returns ends it
 */
export function watchDefinitions(
  options: ServerOptions,
  stateMachines: StateMachines,
  { onReload, onReloadFailure }: ReloadEvents,
): () => void {
  const unwatch = options.definitions.map(source => {
    const look: StatsListener = (now, before) => {
      if (now.mtimeMs === before.mtimeMs && now.size === before.size) return;
      try {
        const { arn, definition, definitionText } = readMachine(source, options);
        stateMachines.update(arn, { definition, definitionText });
        onReload(source.file);
      } catch (error) {
        onReloadFailure(error as Error);
      }
    };
    watchFile(source.file, { interval: LOOK_EVERY_MS }, look);
    return () => unwatchFile(source.file, look);
  });
  return () => {
    for (const end of unwatch) end();
  };
}
