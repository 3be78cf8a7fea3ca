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
  /** As much of the key as may be shown; undefined where it is of no item, or nothing may be shown. */
  readonly key?: string | undefined;
}
