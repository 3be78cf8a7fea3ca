import { compressed } from '../../../functions/archive/archive-object.ts';
import type { ItemImage } from '../../../functions/stream/event.ts';
import type { ArchiveEvidence } from '../../../lab/archive/archive-verdict.ts';
import { itemText } from '../../../lab/archive/item-text.ts';
import { lifeId } from '../../../lab/archive/life.ts';

export const keyOf = (id: string): ItemImage => ({ id: { S: id } });
export const imageOf = (id: string, value = '1'): ItemImage => ({ ...keyOf(id), value: { N: value } });
export const EXPIRED_AT = '2026-11-22T03:00:00.000Z';
export const idOf = (id: string, expiredAt = EXPIRED_AT): string => lifeId(keyOf(id), expiredAt);
export const textOf = (id: string, value?: string): string => itemText(imageOf(id, value));

export const object = (key: string, lines: readonly object[]): readonly [string, Uint8Array] => [
  key,
  compressed(lines.map(line => JSON.stringify(line))),
];

/** A line of an item that was removed two seconds after its expiry. */
export const line = (id: string, overrides: object = {}) => ({
  table: 'Sessions',
  key: keyOf(id),
  expiredAt: EXPIRED_AT,
  deletedAt: '2026-11-22T03:00:02.000Z',
  id: `event-${id}`,
  sequenceNumber: `${id}00`,
  removal: 'expiry',
  item: imageOf(id),
  ...overrides,
});

export const EXPIRIES = 'Sessions/expired_date=2026-11-22/';
export const OTHERS = 'Sessions/removed_date=2026-11-22/';

/** Items 1 and 2 expired, a user deleted 3 before its expiry, 4 is alive. All is as it should be. */
export function evidence(overrides: Partial<ArchiveEvidence> = {}): ArchiveEvidence {
  const removal = (id: string) => ({
    life: { id: idOf(id), text: textOf(id) },
    sequenceNumber: `${id}00`,
    atMs: Date.parse('2026-11-22T03:00:02.345Z'),
  });
  return {
    folder: 'Sessions/',
    expired: new Map(['1', '2'].map(id => [idOf(id), textOf(id)])),
    userDeleted: new Map([[idOf('3'), textOf('3')]]),
    alive: new Set([idOf('4')]),
    removals: ['1', '2', '3'].map(removal),
    objects: [
      object(`${EXPIRIES}100-200.jsonl.gz`, [line('1'), line('2')]),
      object(`${OTHERS}300-300.jsonl.gz`, [line('3', { removal: 'other' })]),
    ],
    ...overrides,
  };
}
