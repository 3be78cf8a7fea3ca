/** The findings of a verification, by name. */
export type FindingName =
  | 'manifest-missing'
  | 'manifest-replaced'
  | 'manifest-unreadable'
  | 'part-missing'
  | 'part-changed'
  | 'count-differs'
  | 'line-removed'
  | 'line-added'
  | 'line-changed'
  | 'line-misplaced'
  | 'line-unreadable'
  | 'line-unproven'
  | 'never-archived'
  | 'journal-differs';

export interface Finding {
  readonly name: FindingName;
  /** Date of the manifest that is missing or cannot be read. */
  readonly date?: string;
  /** The fault and its place. */
  readonly text: string;
  /** The key, as far as it may be shown; undefined if the finding is not about an item, or if no key may be shown. */
  readonly key?: string | undefined;
}
