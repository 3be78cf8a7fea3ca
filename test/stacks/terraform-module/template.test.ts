// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { asExpression, either, TemplateError } from '../../../stacks/terraform-module/template.ts';

test.each([
  ['text', '"text"'],
  ['', '""'],
  ['${var.name}', 'var.name'],
  ['a ${var.name}', '"a ${var.name}"'],
  ['${a}${b}', '"${a}${b}"'],
  ['${{ a = "}" }}', '{ a = "}" }'],
  ['${"${var.name}}"}', '"${var.name}}"'],
  ['$${literal}', '"$${literal}"'],
])('%s is the expression %s', (template, expected) => {
  expect(asExpression(template)).toBe(expected);
});

test.each(['say "no"', 'a\\b', 'two\nlines'])('%j cannot be put in quotes', template => {
  expect(() => asExpression(template)).toThrow(TemplateError);
});

test('quotes within an expression are its own', () => {
  expect(asExpression('is ${contains(["a"], "b")}')).toBe('"is ${contains(["a"], "b")}"');
});

test.each([
  ['a word', 'ENABLED', 'DISABLED', '${var.on ? "ENABLED" : "DISABLED"}'],
  ['the middle', '{"a":"one","b":2}', '{"a":"two","b":2}', '{"a":"${var.on ? "one" : "two"}","b":2}'],
  ['no part of a word', 'reading', 'writing', '${var.on ? "reading" : "writing"}'],
  ['expressions', '${a} is x', '${b} is x', '${var.on ? a : b} is x'],
])('two templates become one: %s', (_name, holds, fails, expected) => {
  expect(either('var.on', holds, fails)).toBe(expected);
});
