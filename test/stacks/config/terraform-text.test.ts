// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform's templates
import { escaped, literal } from '../../../stacks/config/terraform-text.ts';

test.each([
  ['plain', 'plain'],
  ['${a}', '$${a}'],
  ['%{if a}', '%%{if a}'],
  ['$${a}', '$$${a}'],
  ['$5 100% {a}', '$5 100% {a}'],
])('%s is written as %s', (text, written) => expect(escaped(text)).toBe(written));

test.each([
  ['a"b\\c\nd', '"a\\"b\\\\c\\nd"'],
  ['\b\f\\b', '"\\u0008\\u000c\\\\b"'],
  ['${a}', '"$${a}"'],
])('%j in an expression is %s', (text, written) => expect(literal(text)).toBe(written));
