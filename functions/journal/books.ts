/**
 * The books of a table's ledger, by writer: keys that a sweep deleted; keys that it found due and did not delete; keys that
 * ArchiveExpiries has put into the bucket; keys that PublishExpiries has delivered.
 */
export const BOOKS = ['deleted', 'kept', 'archived', 'published'] as const;
export type Book = (typeof BOOKS)[number];

/** The books that the readers of the stream write. */
export const READERS = ['archived', 'published'] as const;
export type Reader = (typeof READERS)[number];

/** Partition key of a book. */
export function bookId(book: Book, table: string): string {
  return `${book}#${table}`;
}
