import { createHash, createHmac } from 'node:crypto';
import { hashOfLines, OBJECT_EXTENSION } from '../archive/archive-object.ts';
import type { Deletion } from './deletions.ts';
import type { DayCounts, Manifest, Part } from './manifest-shape.ts';

export type { DayCounts, Manifest, Part } from './manifest-shape.ts';

/*
 * A manifest lists the deletions of a table on one day. It lies beside the table's archive, outside of the folder that `restore` reads:
 *
 * PREFIX/proof/TABLE/salt                             32 random bytes, if keys are hashed
 * PREFIX/proof/TABLE/date=2026-11-22/manifest.json    counts, the hashes of the parts, the hash of the previous manifest
 * PREFIX/proof/TABLE/date=2026-11-22/14-HASH.jsonl.gz a part: a line for each deletion of that hour, sorted; `14-2` and so on
 *                                                     if they are too many for one
 * PREFIX/proof/TABLE/date=2026-11-22/late-HASH.jsonl.gz deletions of the previous day that were recorded after its manifest
 */

/** The folder of a table's manifests below the archive's prefix, with the slash at the end. */
export function proofFolder(table: string): string {
  return `proof/${table}/`;
}

/** The name of the salt below {@link proofFolder}. */
export const SALT = 'salt';

/** Prefix of the folders of days. */
export const PROOF_DATE = 'date=';

/** The folder of a day below {@link proofFolder}, with the slash at the end. */
export function dayFolder(date: string): string {
  return `${PROOF_DATE}${date}/`;
}

/** The name of a manifest in its day's folder. */
export const MANIFEST = 'manifest.json';

/** A deletion in a part: one line of JSON. */
export interface ProofLine {
  /** The key; missing if keys are hashed. */
  readonly key?: unknown;
  /** HMAC-SHA-256 of the key under the table's salt, hexadecimal. */
  readonly keyHash?: string;
  /** ISO-8601; null if the item had no TTL, or one that is no time. */
  readonly expiredAt: string | null;
  readonly deletedAt: string;
  readonly by: Deletion['by'];
  /** SHA-256 of the line in the archive; missing if there is none. */
  readonly line?: string;
}

/** The bytes of a manifest, whose SHA-256 is in the next manifest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hexadecimal digits of the hash in a part's name: 64 bits. */
const NAME_DIGITS = 16;

export function partOf(name: string, lines: readonly string[]): Part {
  return { name, lines: lines.length, sha256: hashOfLines(lines) };
}

/** The name of a part's object. It depends on the content, so that two writers at once do not overwrite each other's. */
export function partFile({ name, sha256 }: Part): string {
  return `${name}-${sha256.slice(0, NAME_DIGITS)}${OBJECT_EXTENSION}`;
}

/** Identifies the salt with which a manifest's keys are hashed. */
export function saltId(salt: Uint8Array): string {
  return sha256(salt).slice(0, NAME_DIGITS);
}

/** Returns the key's field in a line: `"key":{…}`, or `"keyHash":"…"`. */
export type KeyField = (keyText: string) => string;

/**
 * Makes the function that writes the key's field.
 *
 * @param salt undefined: keys are not hashed
 */
export function keyField(salt: Uint8Array | undefined): KeyField {
  if (salt === undefined) return keyText => `"key":${keyText}`;
  return keyText => `"keyHash":"${createHmac('sha256', salt).update(keyText).digest('hex')}"`;
}

export function proofLineText(
  { keyText, expiredAt, deletedAt, by, line }: Deletion,
  field: KeyField,
): string {
  const others = JSON.stringify({
    expiredAt: expiredAt === null ? null : iso(expiredAt),
    deletedAt: iso(deletedAt),
    by,
    line,
  });
  return `{${field(keyText)},${others.slice(1)}`;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** Counts a day's lines, which are added one after the other. */
export class DayTally {
  readonly #deleted = { sweep: 0, other: 0 };
  readonly #expired = new Map<string, number>();
  #latestSeconds: number | null = null;

  add({ expiredAt, deletedAt, by }: Pick<ProofLine, 'expiredAt' | 'deletedAt' | 'by'>): void {
    this.#deleted[by] += 1;
    const date = expiredAt?.slice(0, -'T00:00:00.000Z'.length) ?? 'none';
    this.#expired.set(date, (this.#expired.get(date) ?? 0) + 1);
    if (expiredAt === null) return;
    const lateSeconds = (Date.parse(deletedAt) - Date.parse(expiredAt)) / 1000;
    this.#latestSeconds = Math.max(this.#latestSeconds ?? lateSeconds, lateSeconds);
  }

  counts(): DayCounts {
    return {
      deleted: { ...this.#deleted },
      expired: Object.fromEntries([...this.#expired].sort(([one], [other]) => (one < other ? -1 : 1))),
      latestSeconds: this.#latestSeconds,
    };
  }
}
