import { functionSettings, type ResolvedProps } from '../../config/props.ts';
import type { Reader } from '../../functions/journal/books.ts';

/** A reader of a table's stream, and how long it may take to see a deletion. */
export interface TableReader {
  readonly reader: Reader;
  readonly withinSeconds: number;
}

/** The readers that a table has by its configuration. */
export function tableReaders(props: ResolvedProps): TableReader[] {
  const { archivedWithinSeconds: archived, publishedWithinSeconds: published } = functionSettings(props);
  return Object.entries({ archived, published }).flatMap(([reader, withinSeconds]) =>
    withinSeconds === undefined ? [] : [{ reader: reader as Reader, withinSeconds }],
  );
}
