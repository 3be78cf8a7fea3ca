import type { RandomSource } from 'stepfunctions-emulator';
import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';

const TEXTS = ['', 'plain', 'Grüße, 世界', '🎫 "quoted" \\ back\nline', '\u2028\u0000', 'x'.repeat(120)];
const MAX_DIGITS = 38;

/** Attributes of every type that DynamoDB has, with numbers that a double cannot represent. */
export function variedAttributes(random: RandomSource): EventImage {
  const attributes: [string, EventValue][] = KINDS.filter(() => random.next() < 0.5).map((make, index) => [
    `a${index}`,
    make(random),
  ]);
  return Object.fromEntries(attributes);
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

/** Draws a number of up to 38 digits from 1 to 9: DynamoDB removes zeros at the end of a fraction. */
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
