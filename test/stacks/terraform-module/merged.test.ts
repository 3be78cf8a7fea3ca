// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's templates
import { merged } from '../../../stacks/terraform-module/merged.ts';
import type { Json } from '../../../stacks/terraform-module/synthesize.ts';

const IS = 'var.a';

test.each<[string, Json, Json, Json]>([
  ['what is the same stays', { a: [1, 'x'] }, { a: [1, 'x'] }, { a: [1, 'x'] }],
  ['texts depend on the condition', { a: 'x y' }, { a: 'x z' }, { a: 'x ${var.a ? "y" : "z"}' }],
  [
    'an attribute is null without it',
    { a: '${var.b}', c: 'd' },
    { c: 'd' },
    { a: '${var.a ? var.b : null}', c: 'd' },
  ],
  ['a variable of a function stays', { variables: { A: 'x' } }, { variables: {} }, { variables: { A: 'x' } }],
  [
    'a block more is dynamic',
    { block: [{ n: '1' }, { n: '2' }, { n: '3' }] },
    { block: [{ n: '1' }, { n: '3' }] },
    {
      block: [{ n: '1' }, { n: '3' }],
      dynamic: { block: [{ for_each: '${var.a ? [true] : []}', content: { n: '2' } }] },
    },
  ],
  [
    'beside one that is dynamic already',
    { block: [{ n: '1' }, { n: '2' }], dynamic: { block: [{ for_each: 'x' }] } },
    { block: [{ n: '1' }], dynamic: { block: [{ for_each: 'x' }] } },
    {
      block: [{ n: '1' }],
      dynamic: {
        block: [{ for_each: 'x' }, { for_each: '${var.a ? [true] : []}', content: { n: '2' } }],
      },
    },
  ],
  [
    'a postcondition more holds without it',
    { postcondition: [{ condition: '${x}', error_message: 'm' }] },
    { postcondition: [] },
    { postcondition: [{ condition: '${var.a ? x : true}', error_message: 'm' }] },
  ],
])('%s', (_what, holds, fails, expected) => {
  expect(merged(IS, holds, fails)).toEqual(expected);
});

test('of several that could be the one more, the last is', () => {
  const holds = { postcondition: [{ condition: '${one}' }, { condition: '${other}' }] };
  const fails = { postcondition: [{ condition: '${third}' }] };
  expect(merged(IS, holds, fails)).toEqual({
    postcondition: [{ condition: '${var.a ? one : third}' }, { condition: '${var.a ? other : true}' }],
  });
});

test('one thing can stand for both', () => {
  const inOne = (holds: Json, fails: Json) => (holds === 'w' && fails === 's' ? '${var.way}' : undefined);
  expect(merged(IS, { a: 'w', b: 'x' }, { a: 's', b: 'y' }, inOne)).toEqual({
    a: '${var.way}',
    b: '${var.a ? "x" : "y"}',
  });
});

test.each<[string, Json, Json, RegExp]>([
  ['something only without the condition', { a: {} }, { a: { b: 1 } }, /a has b only unless var\.a/],
  ['two elements more', { a: ['1', '2', '3'] }, { a: ['1'] }, /a has other elements unless var\.a/],
  ['elements less', { a: [] }, { a: ['1'] }, /a has other elements unless var\.a/],
  ['a block that is an object', { a: { b: {} } }, { a: {} }, /a\.b is there only if var\.a/],
])('refuses %s', (_what, holds, fails, message) => {
  expect(() => merged(IS, holds, fails)).toThrow(message);
});
