import fc from 'fast-check';
import { plainDecimal } from '../../expiry/plain-decimal.ts';

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['-0.00', '0'],
  ['0e5', '0'],
  ['17', '17'],
  ['+17', '17'],
  ['00042', '42'],
  ['100', '100'],
  ['-100', '-100'],
  ['1.50', '1.5'],
  ['1.0', '1'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['-0.10', '-0.1'],
  ['1.5E2', '150'],
  ['1e+21', '1000000000000000000000'],
  ['1.25e1', '12.5'],
  ['1e-7', '0.0000001'],
  ['12.34e-3', '0.01234'],
  ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
])('%s is %s', (text, plain) => expect(plainDecimal(text)).toBe(plain));

test.each(['', '.', '-', 'e5', '1e', '1e1000', 'abc', '0x10', '1 ', 'NaN', 'Infinity'])(
  '"%s" is no number',
  text => expect(plainDecimal(text)).toBeUndefined(),
);

const number = fc.double({ noNaN: true, noDefaultInfinity: true });

test('it is the same number, in one form', () => {
  fc.assert(
    fc.property(number, value => {
      const plain = plainDecimal(String(value)) ?? '';
      expect(plain).toMatch(/^(0|-?(?=.*[1-9])(0|[1-9]\d*)(\.\d*[1-9])?)$/);
      expect(Number(plain)).toBe(value + 0);
    }),
  );
});

test('the form in which a number is written makes no difference', () => {
  fc.assert(
    fc.property(number, value => {
      const plain = plainDecimal(String(value)) ?? '';
      expect(plainDecimal(value.toExponential())).toBe(plain);
      expect(plainDecimal(plain)).toBe(plain);
      expect(plainDecimal(plain.replace(/^-?/, '$&00'))).toBe(plain);
    }),
  );
});
