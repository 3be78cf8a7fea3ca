import type { Clock, RandomSource } from 'stepfunctions-emulator';
import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import { shardOf } from '../../expiry/shard.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import { toNativeKey } from '../../functions/table/item-key.ts';
import type { Span, TableScenario } from './scenario.ts';
import type { MemoryTable } from './table.ts';
import type { Variant } from './variants.ts';

export interface UsersOptions {
  readonly variant: Variant;
  readonly scenario: TableScenario;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly items: number;
  /** Range of the items' TTLs at their first write. The items of CALM_SHARE have later TTLs. */
  readonly ttls: Span;
  /** Time from which the applications use one shard less, epoch milliseconds; undefined if the number of shards stays. */
  readonly shardLessAt: number | undefined;
}

/** Share of all items. These items get TTLs after the last fault. */
const CALM_SHARE = 0.06;

/** Seconds after the last fault in which most items of CALM_SHARE expire. Earlier items may be deleted late (CALM_MS in oracle.ts). */
const CALM_SECONDS = { from: 120, before: 270 } as const;

/** Attribute names that need care in a JavaScript object, an expression or a PartiQL statement. */
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'a.b', '#x', ':y', '"q"', ' ', 'ттл'];

/** Simulates applications: `run` changes items as planned, `interfere` changes or deletes an item just before the sweep deletes it. */
export function usersOf(table: MemoryTable, settings: SweepSettings, options: UsersOptions) {
  const { variant, scenario, clock, random, items, ttls, shardLessAt } = options;
  const [from, before, calmAt] = [ttls.from / 1000, ttls.to / 1000, scenario.calmAt / 1000];
  const guarded = settings.deleteMode === 'guarded';
  const deeds: { readonly at: number; readonly done: () => void }[] = [];
  let version = 0;

  const between = (least: number, end: number) => least + Math.floor(random.next() * (end - least));

  const planned = (at: number, done: () => void): void => {
    deeds.push({ at, done });
  };

  const keyOf = (number: number): EventImage => {
    const odd = ODD_NAMES[number % 50] ?? '';
    const texts = { S: `${odd}${number}`, N: `${number}.5`, B: Buffer.from(`${number}`).toString('base64') };
    const type = variant.keyType ?? 'S';
    const [partitionKey = '', sortKey] = table.keyNames;
    return {
      [partitionKey]: { [type]: texts[type] } as unknown as EventValue,
      ...(sortKey !== undefined && { [sortKey]: { S: `${odd}${number % 7}` } }),
    };
  };

  const drawAttributes = (): EventImage => {
    const drawn = random.next();
    if (drawn < 0.8) return { name: { S: 'plain' } };
    if (drawn < 0.95) return variedAttributes(random);
    const name = ODD_NAMES[between(0, ODD_NAMES.length)] ?? '';
    return Object.fromEntries([[name, { S: 'odd' }]]);
  };

  const expiryOf = (key: EventImage, ttl: number): EventImage => {
    const { model } = settings;
    const { ttlAttribute, windowAttribute, granularitySeconds, shards } = model;
    const expires = { [ttlAttribute]: { N: String(ttl) } };
    if (windowAttribute === undefined) return expires;
    const native = toNativeKey(table.keyOf(key));
    const isLess = shardLessAt !== undefined && clock.now() >= shardLessAt;
    const shard = shardOf(native, model, isLess ? shards - 1 : shards);
    return {
      ...expires,
      [windowAttribute]: { S: windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, shard) },
    };
  };

  /** Writes a new version of the item. The attribute `v` makes all images of an item different. */
  const put = (image: EventImage | undefined, more: EventImage = {}): void => {
    if (image === undefined) return;
    version += 1;
    table.put({ ...image, ...more, v: { N: String(version) } });
  };

  const renew = (id: string): void => {
    const image = table.images.get(id);
    if (image === undefined) return;
    const now = Math.floor(clock.now() / 1000);
    // Half of the new TTLs are 1 to 4 seconds from now, to find a delete whose condition accepts TTLs slightly in the future.
    const seconds = random.next() < 0.5 ? between(1, 5) : between(5, 90);
    const most = now < before ? before + 60 : now + 90;
    put(image, expiryOf(image, Math.min(now + seconds, most)));
  };

  const makePermanent = (id: string): void => {
    const { ttlAttribute } = settings.model;
    const { [ttlAttribute]: _ttl, ...image } = table.images.get(id) ?? {};
    if (_ttl !== undefined) put(image);
  };

  const write = (id: string, key: EventImage): void => {
    if (table.images.get(id) !== undefined) return;
    const now = Math.floor(clock.now() / 1000);
    const ttl = Math.min(now + between(5, 60), before + 60);
    put({ ...key, ...drawAttributes(), ...expiryOf(key, ttl) });
  };

  /** Plans a write 20 seconds before `ttl`: the new TTL is half a second after `ttl`, or up to two minutes earlier in the same window. */
  const stray = (id: string, key: EventImage, ttl: number): void => {
    if (settings.model.indexedBy === 'second') return;
    const earlier = Math.max(windowStart(ttl, settings.model.granularitySeconds), ttl - between(0, 120));
    const other = random.next() < 0.5 ? earlier : ttl + 0.5;
    planned(ttl * 1000 - 20_000, () => {
      const image = table.images.get(id);
      if (image === undefined) return;
      const stamp = expiryOf(key, ttl);
      put({ ...image, ...stamp, [settings.model.ttlAttribute]: { N: String(other) } });
    });
  };

  const planFate = (id: string, key: EventImage, ttl: number): void => {
    const around = (seconds: number) => seconds * 1000 + between(-2_500, 1_500);
    const drawn = random.next();
    if (drawn < 0.05) planned(around(ttl), () => table.delete(id, 'user'));
    else if (!guarded) return;
    else if (drawn < 0.13) planned(around(ttl), () => renew(id));
    else if (drawn < 0.16) planned(around(ttl), () => makePermanent(id));
    else if (drawn < 0.22) planned((ttl + between(1, 200)) * 1000, () => write(id, key));
    else if (drawn < 0.25) planned(around(ttl), () => put(table.images.get(id)));
    else if (drawn < 0.27) stray(id, key, ttl);
  };

  const planItem = (number: number, hot: readonly number[]): void => {
    const drawn = random.next();
    const picked = hot[between(0, hot.length)] ?? from;
    const ttl = random.next() < 0.4 ? picked : between(from, before);
    const key = keyOf(number);
    const writtenAt = drawn < 0.15 ? ttl * 1000 - between(500, 110_000) : clock.now();
    const at = Math.max(writtenAt, clock.now());
    const id = table.idOf(key);
    const image = { ...key, ...drawAttributes(), ...expiryOf(key, ttl) };
    planned(at, () => put(image));
    planFate(id, key, ttl);
  };

  const planInCalm = (number: number, hot: number): void => {
    const key = keyOf(number);
    // If `pollSeconds` is 0, a prompt delete is required only for items written minutes before their expiry. So most are written early.
    const [isHot, isEarly] = [random.next() < 0.6, random.next() < 0.6 && settings.pollSeconds === 0];
    const ttl = isHot ? hot : calmAt + between(isEarly ? CALM_SECONDS.from : 1, CALM_SECONDS.before);
    const writtenAt = isEarly ? Math.max(calmAt - 60, ttl - 200) : ttl - between(1, 10);
    planned(writtenAt * 1000, () => put({ ...key, ...expiryOf(key, ttl) }));
    if (guarded && random.next() < 0.1)
      planned(ttl * 1000 - between(-500, 3_000), () => renew(table.idOf(key)));
  };

  const interfere = (id: string): void => {
    const image = table.images.get(id);
    if (image === undefined) return;
    const drawn = random.next();
    if (!guarded || drawn < 0.15) table.delete(id, 'user');
    else if (drawn < 0.5) renew(id);
    else if (drawn < 0.6) makePermanent(id);
    else if (drawn < 0.8) put(image, { [`added ${between(0, 100)}`]: { S: 'later' } });
    else put(image);
  };

  const hot = Array.from({ length: 8 }, () => between(from, before));
  const inCalm = Math.ceil(items * CALM_SHARE);
  const calmHot = calmAt + between(CALM_SECONDS.from, CALM_SECONDS.before);
  for (let number = 0; number < items; number += 1) {
    if (number < inCalm) planInCalm(number, calmHot);
    else planItem(number, hot);
  }
  deeds.sort((one, other) => one.at - other.at);
  const run = async (): Promise<void> => {
    for (const { at, done } of deeds) {
      if (at > clock.now()) await clock.sleep(at - clock.now());
      done();
    }
  };
  return { run, interfere };
}

const TEXTS = ['', 'plain', 'Grüße, 世界', '🎫 "quoted" \\ back\nline', '\u2028\u0000', 'x'.repeat(120)];
const MAX_DIGITS = 38;

/** Returns random attributes, each DynamoDB type with a probability of 1/2. Many numbers have more digits than a double can represent. */
export function variedAttributes(random: RandomSource): EventImage {
  const kinds = KINDS.filter(() => random.next() < 0.5);
  return Object.fromEntries(kinds.map((make, index) => [`a${index}`, make(random)] as const));
}

const KINDS: readonly ((random: RandomSource) => EventValue)[] = [
  random => ({ S: text(random) }),
  random => ({ N: number(random) }),
  random => ({ B: bytes(random) }),
  random => ({ BOOL: random.next() < 0.5 }),
  () => ({ NULL: true }),
  random => ({ SS: different(random, each => `${text(each)}${each.next()}`) }),
  random => ({ NS: different(random, number) }),
  random => ({ BS: different(random, bytes) }),
  random => ({ L: [{ S: text(random) }, { N: number(random) }, { L: [] }, { M: {} }] }),
  random => ({
    M: { 'a.b': { N: number(random) }, '#c': { M: { ' ': { B: bytes(random) } } }, e: { NULL: true } },
  }),
];

function text(random: RandomSource): string {
  return TEXTS[Math.floor(random.next() * TEXTS.length)] ?? '';
}

/** Returns a number of up to 38 random digits. No random digit is 0, because DynamoDB removes zeros at the end of a fraction. */
function number(random: RandomSource): string {
  const length = 1 + Math.floor(random.next() * MAX_DIGITS);
  const digits = Array.from({ length }, () => 1 + Math.floor(random.next() * 9)).join('');
  const point = Math.floor(random.next() * (length + 1));
  const [whole, fraction] = [digits.slice(0, point) || '0', digits.slice(point)];
  return `${random.next() < 0.5 ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

function bytes(random: RandomSource): string {
  const length = 1 + Math.floor(random.next() * 24);
  return Buffer.from(Array.from({ length }, () => Math.floor(random.next() * 256))).toString('base64');
}

function different(random: RandomSource, make: (random: RandomSource) => string): string[] {
  const length = 1 + Math.floor(random.next() * 4);
  return [...new Set(Array.from({ length }, () => make(random)))];
}
