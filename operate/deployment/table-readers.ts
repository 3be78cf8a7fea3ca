import { functionSettings, type ResolvedProps } from '../../config/props.ts';
import type { Reader } from '../../functions/journal/books.ts';

/** A reader of a table's stream, and the time in which it must record a deletion. */
export interface TableReader {
  readonly reader: Reader;
  readonly withinSeconds: number;
}

/** The stream readers that the configuration gives a table. */
export function tableReaders(props: ResolvedProps): TableReader[] {
  const { archivedWithinSeconds: archived, publishedWithinSeconds: published } = functionSettings(props);
  return Object.entries({ archived, published }).flatMap(([reader, withinSeconds]) =>
    withinSeconds === undefined ? [] : [{ reader: reader as Reader, withinSeconds }],
  );
}
