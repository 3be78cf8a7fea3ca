// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform's references
import {
  anyOf,
  both,
  cut,
  Expression,
  endsWith,
  equal,
  expression,
  given,
  hcl,
  isOpen,
  jsonText,
  less,
  merged,
  NONE,
  not,
  or,
  pieceOf,
  present,
  product,
  quoted,
  replaced,
  startsWith,
  sum,
  when,
  withOpenings,
  withoutNone,
} from '../../config/values.ts';

const open = expression<number>('var.n');
const openText = expression<string>('var.text');
const openFlag = expression<boolean>('var.flag');

/** A value that has to be an expression. */
function hclOf(value: unknown): string {
  expect(value).toBeInstanceOf(Expression);
  return hcl(value);
}

/** Of each function: what it makes of known operands, the value, the same with an open one, and its expression. */
test.each<[string, known: unknown, value: unknown, open: unknown, written: string]>([
  ['given', given('a'), true, given(openText), 'var.text != null'],
  ['given, of nothing', given(undefined), false, given(openText), 'var.text != null'],
  ['equal', equal(1, 1), true, equal(open, 1), 'var.n == 1'],
  ['equal, of others', equal('a', 'b'), false, equal('a', openText), '"a" == var.text'],
  ['less', less(1, 2), true, less(open, 2), 'var.n < 2'],
  ['less, of equals', less(2, 2), false, less(2, open), '2 < var.n'],
  ['not', not(false), true, not(openFlag), '!(var.flag)'],
  ['not, of a comparison', not(less(1, 2)), false, not(less(open, 2)), '!(var.n < 2)'],
  [
    'not, of a call',
    not(startsWith('ab', 'b')),
    true,
    not(startsWith(openText, 'b')),
    '!startswith(var.text, "b")',
  ],
  ['startsWith', startsWith('{% a', '{%'), true, startsWith(openText, '{%'), 'startswith(var.text, "{%")'],
  ['endsWith', endsWith('a %}', '%}'), true, endsWith(openText, '%}'), 'endswith(var.text, "%}")'],
  ['both', both(true, false), false, both(openFlag, less(open, 2)), 'var.flag && (var.n < 2)'],
  ['both, of a true one', both(true, true), true, both(true, openFlag), 'var.flag'],
  ['both, of another true one', both(false, true), false, both(openFlag, true), 'var.flag'],
  ['anyOf, of a false one', anyOf(true, false), true, anyOf(openFlag, false), 'var.flag'],
  ['anyOf', anyOf(true, false), true, anyOf(openFlag, less(open, 2)), 'var.flag || (var.n < 2)'],
  ['anyOf, of neither', anyOf(false, false), false, anyOf(false, openFlag), 'var.flag'],
  ['when', when(true, 'a', 'b'), 'a', when(openFlag, 'a', 'b'), '(var.flag ? "a" : "b")'],
  [
    'when, of false',
    when(false, 'a', 'b'),
    'b',
    when(openFlag, openText, NONE),
    '(var.flag ? var.text : null)',
  ],
  ['or', or('a', 'b'), 'a', or(openText, 'b'), '(var.text != null ? var.text : "b")'],
  [
    'or, of nothing',
    or(undefined, 'b'),
    'b',
    or(openText, openText),
    '(var.text != null ? var.text : var.text)',
  ],
  ['jsonText', jsonText({ a: 1 }), '{"a":1}', jsonText(open), 'jsonencode(var.n)'],
  ['present', present('a'), ['a'], present(openText), 'var.text[*]'],
  ['present, of nothing', present(undefined), [], present(openText), 'var.text[*]'],
  [
    'withoutNone',
    withoutNone({ a: 'a', b: undefined }),
    { a: 'a' },
    withoutNone({ A: `${openText}`, b: undefined }),
    '{\nfor name, value in { A = var.text } : name => value if value != null\n}',
  ],
  [
    'merged',
    merged({ a: 1, b: 1 }, { b: 2 }),
    { a: 1, b: 2 },
    merged(expression<Record<string, number>>('var.all'), { b: 2 }),
    'merge(var.all, { b = 2 })',
  ],
  [
    'merged, of three',
    merged(merged({ a: 1 }, { b: 1 }), { b: 2 }),
    { a: 1, b: 2 },
    merged(merged(expression<Record<string, number>>('var.all'), { a: 1 }), { b: 2 }),
    'merge(var.all, { a = 1 }, { b = 2 })',
  ],
  [
    'replaced',
    replaced('a.b.c', '.', '-'),
    'a-b-c',
    replaced(openText, '.', '-'),
    'replace(var.text, ".", "-")',
  ],
  ['pieceOf', pieceOf('a:b', ':', 1), 'b', pieceOf(openText, ':', 1), 'split(":", var.text)[1]'],
  ['cut', cut('abcd', 3), 'ab…', cut(`a-${openText}`, 3), 'substr("a-${var.text}", 0, 3)'],
  ['cut, of what is short', cut('abc', 3), 'abc', cut(openText, 3), 'substr(var.text, 0, 3)'],
  ['sum', sum(1, 2), 3, sum(open, 2), '(var.n + 2)'],
  ['product', product(3, 2), 6, product(sum(open, 1), 2), '((var.n + 1) * 2)'],
])(
  '%s is a value of known operands, and an expression of open ones',
  (_name, known, value, made, written) => {
    expect(known).toEqual(value);
    expect(isOpen(known)).toBe(false);
    expect(hclOf(made)).toBe(written);
  },
);

test('a choice too long for a line is written in several', () => {
  const long = (letter: string) => letter.repeat(60);
  expect(hclOf(when(openFlag, long('a'), long('b')))).toBe(
    `(\n  var.flag\n  ? "${long('a')}"\n  : "${long('b')}"\n)`,
  );
});

test.each<[unknown, string]>([
  [null, 'null'],
  [undefined, 'null'],
  [true, 'true'],
  [1.5, '1.5'],
  ['a "b"\n', '"a \\"b\\"\\n"'],
  ['\b\f', '"\\u0008\\u000c"'],
  ['${var.a}', 'var.a'],
  ['a-${var.a}', '"a-${var.a}"'],
  ['${var.a}${var.b}', '"${var.a}${var.b}"'],
  ['$${a}', '"$${a}"'],
  ['${f("}")}', 'f("}")'],
  ['${join("-", ["${var.a}", "}"])}', 'join("-", ["${var.a}", "}"])'],
  [[], '[]'],
  [{}, '{}'],
  [['a', open], '["a", var.n]'],
  [{ a: 1, 'b c': open, left: undefined }, '{ a = 1, "b c" = var.n }'],
])('%j is %s in an expression', (value, written) => expect(hcl(value)).toBe(written));

test('a list and an object too long for a line have a line for each item', () => {
  const long = 'a'.repeat(60);
  expect(hcl([long, long])).toBe(`[\n  "${long}",\n  "${long}",\n]`);
  expect(hcl({ a: long, b: long })).toBe(`{\n  a = "${long}"\n  b = "${long}"\n}`);
});

test('a long text is joined from lines that are read as it was', () => {
  const text = `${'word '.repeat(40)}end`;
  const lines = [...hcl(text).matchAll(/^ {2}"(.*)",$/gm)].map(([, line]) => line);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join(' ')).toBe(text);
});

test('an expression in a text is a template, and one in a template stays one', () => {
  expect(withOpenings(`a-${openText}`)).toBe('a-${var.text}');
  expect(quoted(withOpenings(`a-${expression('"${var.a}-b"')}`))).toBe('"a-${"${var.a}-b"}"');
  expect(withOpenings(JSON.stringify({ a: openText }))).toBe('{"a":"${var.text}"}');
});

test('an expression that is a text is itself again, with the tokens in it; a token alone is not', () => {
  const made = `${when(openFlag, NONE, '${TfToken[1]}')}`;
  expect(hcl(made)).toBe('(var.flag ? null : "${TfToken[1]}")');
  expect(hcl('${TfToken[1]}')).toBe('"${TfToken[1]}"');
});

test('a reference that nobody closes is refused', () => {
  expect(() => hcl('${var.a')).toThrow('expected a reference that is closed, got ${var.a');
});
