import type { Reader } from '../../functions/journal/accounts.ts';
import type { ResolvedProps } from '../../stacks/props.ts';
import { resolvedArchive } from '../../stacks/stream-props.ts';

/** A reader of a table's stream, and how long it may take to see a deletion. */
export interface TableReader {
  readonly reader: Reader;
  readonly withinSeconds: number;
}

const SLACK = 180;

/** The readers that a table has by its configuration. */
export function tableReaders({ archive, events }: Pick<ResolvedProps, 'archive' | 'events'>): TableReader[] {
  return [
    ...(archive === undefined
      ? []
      : [{ reader: 'archived' as const, withinSeconds: resolvedArchive(archive).batchSeconds + SLACK }]),
    ...(events === undefined ? [] : [{ reader: 'published' as const, withinSeconds: SLACK }]),
  ];
}
