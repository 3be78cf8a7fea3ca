import type { Manifest } from '../../functions/proof/manifest-shape.ts';
import type { OperateOptions, WorkDone } from '../options.ts';
import type { Finding } from './finding.ts';

export interface ProofOptions extends OperateOptions {
  /** The day of the deletions in UTC: `2026-11-22`. */
  readonly date: string;
  /** `s3://BUCKET/PREFIX`, or a folder that has the same files, which is looked at without AWS and without the journal. */
  readonly fromArchive: string;
  /** Hashes instead of keys. @default as the table's `logKeys` says */
  readonly mask?: boolean;
  /** Gets how many lines of the archive are found, after each object. */
  readonly onProgress?: ((progress: WorkDone) => void) | undefined;
}

/** `open`: nothing is wrong, and something cannot be told yet. */
export type ProofEnd = 'equal' | 'differs' | 'open';

export interface ProofReport {
  readonly table: string;
  readonly date: string;
  readonly end: ProofEnd;
  /** Where the manifests are. */
  readonly place: string;
  /** Null, as is its hash, where the day has none. */
  readonly manifest: Manifest | null;
  readonly sha256: string | null;
  /** All manifests of the table that there are. */
  readonly chain: {
    readonly manifests: number;
    /** The dates of the first and the last one; null: there is none. */
    readonly first: string | null;
    readonly last: string | null;
    /** Days between them of which nobody wrote one. */
    readonly gaps: readonly string[];
  };
  /** Lines of the archive that are there as they were; null: the table has no archive, or the day has no manifest. */
  readonly archive: { readonly found: number; readonly expected: number } | null;
  /** Archived after the manifest or not at all; the manifest of the next day will tell. */
  readonly open: number;
  /** Null where the day has no manifest. */
  readonly journal: { readonly notAsked: string | null; readonly differences: number } | null;
  readonly findings: readonly Finding[];
}
