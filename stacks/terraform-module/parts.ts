import type { Construct } from 'constructs';
import type { NamedTable } from '../../config/names.ts';
import { ArchivePart } from './archive-part.ts';
import { destinationLocal, EventsPart } from './events-part.ts';
import type { Local } from './locals.ts';
import type { PartStack } from './part-stack.ts';

/** An optional part of a table: a module of its own, which the whole module calls for each table that has the part. */
interface Part {
  /** A sentence about it. */
  readonly text: string;
  /** Condition for tables `t` that have it. */
  readonly condition: string;
  /** The prop, which determines the names of its resources. */
  readonly named: Pick<NamedTable, 'archive' | 'events'>;
  readonly locals: readonly Local[];
  readonly Stack: new (scope: Construct, id: string) => PartStack;
}

export const PARTS = {
  archive: {
    text: 'Keeps the expired items of a table in a bucket, from its stream.',
    condition: 't.archive != null',
    named: { archive: {} },
    locals: [],
    Stack: ArchivePart,
  },
  events: {
    text: 'Makes an event of each expiry of a table, from its stream.',
    condition: 't.events != null',
    named: { events: {} },
    locals: [
      {
        comment: 'Where the events go: to one of these.',
        name: 'destination',
        value: destinationLocal(),
      },
    ],
    Stack: EventsPart,
  },
} as const satisfies Readonly<Record<string, Part>>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];

/** Whether any table has one of these parts. */
export function anyTableHas(parts: readonly PartName[]): string {
  const conditions = parts.map(part => PARTS[part].condition).join(' || ');
  return `anytrue([for t in local.tables : ${conditions}])`;
}
