// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { withOptional } from '../../../stacks/terraform-module/optional.ts';
import type { Json } from '../../../stacks/terraform-module/synthesize.ts';
import { TemplateError } from '../../../stacks/terraform-module/template.ts';

const policy = (...actions: readonly string[]) =>
  JSON.stringify({ Version: '2012-10-17', Statement: actions.map(Action => ({ Effect: 'Allow', Action })) });

const without = (given: string, json: Json) => ({ given, json });

test.each<[string, Json, Json, Json]>([
  ['nothing', { a: 'b' }, { a: 'b' }, { a: 'b' }],
  ['the variable itself', { key: '${var.key}' }, {}, { key: '${var.key}' }],
  ['a number', { a: 1 }, {}, { a: '${var.key != null ? 1 : null}' }],
  ['another word', { a: 'MINE' }, { a: 'AWS' }, { a: '${var.key != null ? "MINE" : "AWS"}' }],
  ['an attribute', { name: 'of ${var.key}' }, {}, { name: '${var.key != null ? "of ${var.key}" : null}' }],
  [
    'a block, in an element',
    [{ kept: 1, block: { a: '${var.key}' } }],
    [{ kept: 1 }],
    [
      {
        kept: 1,
        dynamic: { block: [{ for_each: '${var.key != null ? [true] : []}', content: { a: '${var.key}' } }] },
      },
    ],
  ],
  [
    'a switch instead',
    { key: '${var.key}' },
    { own: true },
    { key: '${var.key}', own: '${var.key != null ? null : true}' },
  ],
  [
    'a switch that is on with it',
    { tracing: { enabled: true } },
    { tracing: { enabled: false } },
    { tracing: { enabled: '${var.key != null}' } },
  ],
  ['a switch that is off with it', { own: false }, { own: true }, { own: '${!(var.key != null)}' }],
])('depends on the prop: %s', (_what, full, lacking, expected) => {
  expect(withOptional(full, full, [without('var.key != null', lacking)])).toEqual(expected);
});

test('the statements of a policy depend each on its prop, and the text is JSON whichever are given', () => {
  const full = policy('a', 'b', 'c', 'd');
  const absences = [
    without('var.one != null', policy('a', 'c', 'd')),
    without('var.two != null', policy('a', 'b')),
  ];
  const written = withOptional(full, full, absences) as string;
  const rendered = (given: readonly string[]) =>
    written.replaceAll(/%\{ if var\.(\w+) != null \}(.*?)%\{ endif \}/g, (_whole, name, text) =>
      given.includes(name) ? text : '',
    );
  expect(rendered(['one', 'two'])).toBe(full);
  expect(rendered(['two'])).toBe(policy('a', 'c', 'd'));
  expect(rendered(['one'])).toBe(policy('a', 'b'));
  expect(rendered([])).toBe(policy('a'));
});

test('another sweep of the same shape is changed at the same places', () => {
  const absences = [without('var.one != null', policy('a'))];
  expect(withOptional(policy('x', 'y'), policy('a', 'b'), absences)).toBe(
    policy('x', 'y').replace(
      ',{"Effect":"Allow","Action":"y"}',
      each => `%{ if var.one != null }${each}%{ endif }`,
    ),
  );
});

test('another number of statements is refused', () => {
  const absences = [without('var.one != null', policy('a'))];
  expect(() => withOptional(policy('x', 'y', 'z'), policy('a', 'b'), absences)).toThrow(TemplateError);
});

test.each<[string, Json, readonly Json[]]>([
  ['a number', 1, [2]],
  ['a text that is no policy', 'a b', ['b']],
  ['a word that depends on two', 'a', ['b', 'c']],
  ['a list of another length', [1], [[]]],
  ['an attribute that is a list', { a: [1] }, [{}]],
  ['what depends on two', { a: 'b' }, [{}, {}]],
  ['two blocks in one', { a: { x: 'y' }, b: { x: 'y' } }, [{ b: { x: 'y' } }, { a: { x: 'y' } }]],
  ['a text instead', {}, [{ a: 'b' }]],
  ['the first statement', policy('a', 'b'), [policy('b')]],
  ['a statement that depends on two', policy('a', 'b'), [policy('a'), policy('a')]],
  ['statements in another order', policy('a', 'b'), [policy('b', 'a')]],
  ['another statement', policy('a', 'b'), [policy('a', 'c')]],
])('is refused, for the module would have it wrong: %s', (_what, full, lacking) => {
  const absences = lacking.map((json, index) => without(`var.x${index} != null`, json));
  expect(() => withOptional(full, full, absences)).toThrow(TemplateError);
});
