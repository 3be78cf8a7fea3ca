import type { Manifest } from '../../functions/proof/manifest-shape.ts';
import type { OperateOptions, WorkDone } from '../options.ts';

export interface ProofOptions extends OperateOptions {
  /** The day of the deletions in UTC: `2026-11-22`. */
  readonly date: string;
  /** `s3://BUCKET/PREFIX`; or a folder with the same files, which is verified without AWS and without the journal. */
  readonly fromArchive: string;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
  /** Gets how many lines of the archive are found, after each object. */
  readonly onProgress?: ((progress: WorkDone) => void) | undefined;
}

/** `open`: no fault was found, but some lines cannot be judged yet. */
export type ProofEnd = 'equal' | 'differs' | 'open';

export interface ProofReport {
  readonly table: string;
  readonly date: string;
  readonly end: ProofEnd;
  /** Place of the manifests. */
  readonly place: string;
  /** Null if the day has no manifest; its hash is null then too. */
  readonly manifest: Manifest | null;
  readonly sha256: string | null;
  /** All manifests of the table. */
  readonly chain: {
    readonly manifests: number;
    /** Dates of the first and the last manifest; null if there is none. */
    readonly first: string | null;
    readonly last: string | null;
    /** Days between them without a manifest. */
    readonly gaps: readonly string[];
  };
  /** Archived lines that are unchanged; null if the table has no archive or the day has no manifest. */
  readonly archive: { readonly found: number; readonly expected: number } | null;
  /** Lines that were archived after the manifest or not at all; the manifest of the next day will show which. */
  readonly open: number;
  /** Null if the day has no manifest. */
  readonly journal: { readonly notAsked: string | null; readonly differences: number } | null;
  readonly findings: readonly Finding[];
}

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
