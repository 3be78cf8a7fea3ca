import fc from 'fast-check';
import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';

/** A number of up to 38 digits, as DynamoDB gives it back. */
export const anyNumber: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^[1-9][0-9]{0,20}$/),
    fc.stringMatching(/^[0-9]{0,16}[1-9]$/),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`);

/** Names of attributes, among them those that objects of JavaScript have anyway. */
const name = fc.oneof(
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty') },
);
const bytes = fc.uint8Array({ maxLength: 8 }).map(value => Buffer.from(value).toString('base64'));

const { value: anyValue } = fc.letrec<{ value: EventValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string().map(S => ({ S })),
    anyNumber.map(N => ({ N })),
    bytes.map(B => ({ B })),
    fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map(SS => ({ SS })),
    fc.uniqueArray(anyNumber, { minLength: 1, maxLength: 3 }).map(NS => ({ NS })),
    fc.uniqueArray(bytes, { minLength: 1, maxLength: 3 }).map(BS => ({ BS })),
    fc.boolean().map(BOOL => ({ BOOL })),
    fc.constant({ NULL: true }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }).map(M => ({ M })),
    fc.array(tie('value'), { maxLength: 3 }).map(L => ({ L })),
  ),
}));

/** An item as Lambda gives it: DynamoDB JSON with bytes in base64. */
export const anyImage: fc.Arbitrary<EventImage> = fc.dictionary(name, anyValue, { maxKeys: 5 });
