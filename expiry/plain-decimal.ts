/** DynamoDB's exponents have at most three digits. */
const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

/**
 * Writes a number as DynamoDB returns a Number: no exponent, no plus sign, no leading zeros, no trailing zeros of a fraction, and `0` for
 * every zero. JavaScript would write `1e+21` and `1e-7`. @returns undefined if the text is not a number
 */
export function plainDecimal(text: string): string | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  if (matched === undefined || digits === '') return undefined;
  const point = whole.length + Number(exponent);
  const padded = '0'.repeat(Math.max(0, -point)) + digits.padEnd(point, '0');
  const units = padded.slice(0, Math.max(0, point)).replace(/^0+/, '') || '0';
  const rest = padded.slice(Math.max(0, point)).replace(/0+$/, '');
  const plain = rest === '' ? units : `${units}.${rest}`;
  return sign === '-' && plain !== '0' ? `-${plain}` : plain;
}
