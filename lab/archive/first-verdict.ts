import type { CopyLine, MarkLine } from '../../functions/delete-chunk/copies.ts';
import { linesOf, type ObjectLine } from './archived-objects.ts';
import { itemText } from './item-text.ts';
import { type Life, lifeId } from './life.ts';
import { problem } from './problem.ts';

/** An object of which S3 has answered that it is stored. */
export interface AnsweredPut {
  readonly key: string;
  /** When it was answered, in the order of all that is watched. */
  readonly turn: number;
}

/** An item that a delete of the sweep removed, as DynamoDB answered. */
export interface SweptItem {
  readonly life: Life;
  /** When the request arrived, in the same order: DynamoDB had not seen it yet. */
  readonly turn: number;
}

/** What an archive with `archiveFirst` is held against. */
export interface FirstEvidence {
  readonly objects: Iterable<readonly [key: string, body: Uint8Array]>;
  readonly puts: readonly AnsweredPut[];
  readonly swept: readonly SweptItem[];
  /** Removals by the table's stream. */
  readonly removed: readonly Life[];
  /** Ids of lives that are in the table. */
  readonly alive: ReadonlySet<string>;
  /** Ids of those that should be gone: they had expired when the last sweep began. */
  readonly expired: ReadonlySet<string>;
  /**
   * Turns at which a sweep ended by itself. What was copied after the last one before a kill was copied by an execution that
   * died, as no execution does on AWS.
   */
  readonly kills: readonly number[];
  readonly ends: readonly number[];
}

export interface FirstCounts {
  readonly deleted: number;
  readonly alive: number;
  readonly copies: number;
  readonly marks: number;
  /** Copies of items that were not deleted as they were copied. */
  readonly keptCopies: number;
  /** Of these, without a mark: their execution was killed before it could put one. */
  readonly unmarkedByKill: number;
}

export interface FirstVerdict {
  readonly counts: FirstCounts;
  readonly problems: readonly string[];
}

/** Holds what `archiveFirst` stored against what was deleted, and when. */
export function judgeFirst(evidence: FirstEvidence): FirstVerdict {
  const answeredAt = new Map<string, number>();
  for (const { key, turn } of evidence.puts) {
    answeredAt.set(key, Math.min(turn, answeredAt.get(key) ?? turn));
  }
  const copies: ObjectLine<CopyLine>[] = [];
  const marks: ObjectLine<MarkLine>[] = [];
  const others: string[] = [];
  for (const [key, body] of evidence.objects) {
    if (key.includes('/before_deletion/')) copies.push(...linesOf<CopyLine>(key, body));
    else if (key.includes('/kept/')) marks.push(...linesOf<MarkLine>(key, body));
    else others.push(key);
  }
  const firstCopy = earliest(copies, answeredAt);
  const deletedIds = new Set(evidence.swept.map(({ life }) => life.id));
  const unmarked = withoutMark(copies, marks, deletedIds);
  const excused = (copy: ObjectLine<CopyLine>) => wasKilled(answeredAt.get(copy.object), evidence);
  const byStream = new Map(evidence.removed.map(({ id, text }) => [id, text]));
  const sweptText = new Map(evidence.swept.map(({ life: { id, text } }) => [id, text]));
  const problems = [
    ...problem(others, 'objects are neither copies nor marks'),
    ...problem(
      evidence.swept.filter(({ life, turn }) => (firstCopy.get(textOf(life)) ?? Infinity) >= turn).map(idOf),
      'items were deleted before S3 had answered that their image is stored',
    ),
    ...problem(
      [...byStream].filter(([id, text]) => sweptText.get(id) !== text).map(([id]) => id),
      'removals of the stream are not those that were watched',
    ),
    ...problem(
      [...sweptText.keys()].filter(id => !byStream.has(id)),
      'deletes were answered that the stream does not tell of',
    ),
    ...problem(
      [...evidence.alive].filter(id => byStream.has(id)),
      'items are there that the stream calls removed',
    ),
    ...problem(
      [...evidence.expired].filter(id => evidence.alive.has(id)),
      'expired items are left',
    ),
    ...problem(
      unmarked.filter(copy => !excused(copy)).map(copyId),
      'copies of items that were not deleted have no mark',
    ),
    ...problem(
      marks
        .filter(({ line }) => isOfDeleted(line, copies, byStream))
        .map(({ line }) => lifeId(line.key, line.expiredAt)),
      'copies are marked as kept, but are just what was deleted',
    ),
  ];
  return {
    counts: {
      deleted: evidence.swept.length,
      alive: evidence.alive.size,
      copies: copies.length,
      marks: marks.length,
      keptCopies: copies.filter(({ line }) => byStream.get(copyLineId(line)) !== itemText(line.item)).length,
      unmarkedByKill: unmarked.filter(excused).length,
    },
    problems,
  };
}

/** When S3 first answered for a copy of an item just as it is, by the item's text. */
function earliest(
  copies: readonly ObjectLine<CopyLine>[],
  answeredAt: ReadonlyMap<string, number>,
): Map<string, number> {
  const first = new Map<string, number>();
  for (const { object, line } of copies) {
    const turn = answeredAt.get(object);
    if (turn === undefined) continue;
    const text = textOf({ id: copyLineId(line), text: itemText(line.item) });
    first.set(text, Math.min(turn, first.get(text) ?? turn));
  }
  return first;
}

/** Copies whose item was not deleted with that expiry, and of which no mark says so. */
function withoutMark(
  copies: readonly ObjectLine<CopyLine>[],
  marks: readonly ObjectLine<MarkLine>[],
  deletedIds: ReadonlySet<string>,
): ObjectLine<CopyLine>[] {
  const marked = new Set(marks.map(({ line }) => `${line.copy} ${lifeId(line.key, line.expiredAt)}`));
  return copies.filter(copy => {
    const id = copyId(copy);
    return !deletedIds.has(id) && !marked.has(`${copy.object} ${id}`) && !marked.has(`null ${id}`);
  });
}

/** Whether a mark names a copy that is the item as it was deleted. */
function isOfDeleted(
  { copy, key, expiredAt }: MarkLine,
  copies: readonly ObjectLine<CopyLine>[],
  removed: ReadonlyMap<string, string>,
): boolean {
  if (copy === null) return false;
  const id = lifeId(key, expiredAt);
  const text = removed.get(id);
  return (
    text !== undefined &&
    copies.some(each => each.object === copy && copyId(each) === id && itemText(each.line.item) === text)
  );
}

/** Whether a kill came before the execution that made a copy had ended. Never answered: the kill came before the answer. */
function wasKilled(turn: number | undefined, { kills, ends }: FirstEvidence): boolean {
  if (turn === undefined) return kills.length > 0;
  const after = (turns: readonly number[]) => Math.min(...turns.filter(each => each > turn));
  return after(kills) < after(ends);
}

const textOf = ({ id, text }: Life): string => `${id} ${text}`;
const idOf = ({ life }: SweptItem): string => life.id;
const copyLineId = ({ key, expiredAt }: CopyLine): string => lifeId(key, expiredAt);
const copyId = ({ line }: ObjectLine<CopyLine>): string => copyLineId(line);
