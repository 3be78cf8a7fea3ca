// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform's references
import { block, formatted } from '../../stacks/terraform-module/hcl-text.ts';

test('a block has first how many there are, then its attributes, then its blocks, without metadata', () => {
  const content = {
    '//': { metadata: {} },
    name: '${var.name}',
    left: undefined,
    vpc_config: { subnet_ids: ['a'] },
    metric_query: [{ id: 'one' }, { id: 'two' }],
    count: '${var.there ? 1 : 0}',
  };
  expect(block('resource "a" "b"', content)).toBe(
    `resource "a" "b" {
  count = var.there ? 1 : 0
  name = var.name

  vpc_config {
    subnet_ids = ["a"]
  }

  metric_query {
    id = "one"
  }

  metric_query {
    id = "two"
  }
}`,
  );
  expect(block('resource "a" "b"', {})).toBe('resource "a" "b" {}');
});

test.each([
  ['a map is no block', { tags: { a: 'b' } }, 'tags = { a = "b" }'],
  ['addresses are no texts', { depends_on: ['aws_a.b', 'aws_c.d'] }, 'depends_on = [aws_a.b, aws_c.d]'],
  ['an empty list is no block', { alarm_actions: [] }, 'alarm_actions = []'],
  ['JSON is what it is made of', { policy: '{"a":["${var.b}"]}' }, 'policy = jsonencode({ a = [var.b] })'],
  [
    'brackets in JSON are not escaped',
    { input: '{"a":"<b>"}' },
    'input = replace(replace(jsonencode({ a = "<b>" }), "\\\\u003c", "<"), "\\\\u003e", ">")',
  ],
])('%s', (_name, content, line) => expect(block('a', content)).toBe(`a {\n  ${line}\n}`));

test('signs of assignment of lines that follow each other stand below each other', () => {
  expect(formatted('a {\nb = 1\nlonger = 2\nc = [\n1,\n]\n\nd = 3\n}')).toBe(
    'a {\n  b      = 1\n  longer = 2\n  c = [\n    1,\n  ]\n\n  d = 3\n}\n',
  );
});

test('a line that opens several brackets indents by one step, and what closes them goes back', () => {
  expect(formatted('a = f({ for k, t in b : k => {\nc = 1\n} })\nd = 2')).toBe(
    'a = f({ for k, t in b : k => {\n  c = 1\n} })\nd = 2\n',
  );
});

test('what opens several brackets in one line may be closed in several', () => {
  expect(formatted('a = f({ b = {\nc = 1\n}\n})\nd = 2')).toBe('a = f({ b = {\n  c = 1\n  }\n})\nd = 2\n');
});

test('brackets within texts and comments do not count, those within templates do', () => {
  expect(formatted('a = "({["\n# ({[\nb = "$${"\nc = "${f("}")}"\nd = "${join(",", [\n1,\n])}"\ne = 1')).toBe(
    'a = "({["\n# ({[\nb = "$${"\nc = "${f("}")}"\nd = "${join(",", [\n  1,\n])}"\ne = 1\n',
  );
});

test('a text that is a reference alone is written without quotes', () => {
  expect(formatted('a = "${var.b}"')).toBe('a = var.b\n');
});
