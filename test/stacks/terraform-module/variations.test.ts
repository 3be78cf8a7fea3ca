// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { type PreciseTtlProps, resolveProps } from '../../../stacks/props.ts';
import type { Json } from '../../../stacks/terraform-module/synthesize.ts';
import { TemplateError } from '../../../stacks/terraform-module/template.ts';
import { type Variation, withVariables } from '../../../stacks/terraform-module/variations.ts';

const BASE = {
  tableName: 'Tokens',
  partitionKey: 'id',
  shards: 97,
  shardConcurrency: 211,
  deleteAttempts: 19,
};
const CHANGED = { ...BASE, shards: 89, shardConcurrency: 223, deleteAttempts: 29 };

const varied = (base: Json, prop: Variation['prop'], props: PreciseTtlProps, json: Json) =>
  withVariables({ at: base }, resolveProps(BASE), [{ prop, props, json: { at: json } }]);

test.each<[string, Json, Variation['prop'], PreciseTtlProps, Json, string]>([
  ['a number', 97, 'numbers', CHANGED, 89, '${var.shards}'],
  [
    'a number in a text',
    'try 19 times',
    'numbers',
    CHANGED,
    'try 29 times',
    'try ${var.delete_attempts} times',
  ],
  ['two numbers', '19 of 97', 'numbers', CHANGED, '29 of 89', '${var.delete_attempts} of ${var.shards}'],
  ['a number made of two', '308', 'numbers', CHANGED, '312', '${local.concurrent_children}'],
  ['a switch', true, 'enabled', { ...BASE, enabled: false }, false, '${var.enabled}'],
  [
    'words for a switch',
    'ON',
    'enabled',
    { ...BASE, enabled: false },
    'OFF',
    '${var.enabled ? "ON" : "OFF"}',
  ],
  ['a choice', 'S', 'partitionKeyType', { ...BASE, partitionKeyType: 'N' }, 'N', '${var.partition_key_type}'],
  [
    'a choice in a text',
    'id (S) SS',
    'partitionKeyType',
    { ...BASE, partitionKeyType: 'N' },
    'id (N) SS',
    'id (${var.partition_key_type}) SS',
  ],
  [
    'words for a choice of two',
    'Delete',
    'deleteMode',
    { ...BASE, deleteMode: 'batch' },
    'Write',
    '${var.delete_mode == "guarded" ? "Delete" : "Write"}',
  ],
])('puts a variable where something changed: %s', (_name, base, prop, props, json, expected) => {
  expect(varied(base, prop, props, json)).toEqual({ at: expected });
});

test.each<[string, Json, Variation['prop'], PreciseTtlProps, Json]>([
  ['a number that is nobody', 100, 'numbers', CHANGED, 101],
  ['numbers and words', '19 times', 'numbers', CHANGED, '29 tries'],
  ['words for a choice of three', 'text', 'partitionKeyType', { ...BASE, partitionKeyType: 'N' }, 'number'],
  ['another shape', { a: 1 }, 'enabled', { ...BASE, enabled: false }, { b: 1 }],
  ['fewer elements', ['a', 'b'], 'enabled', { ...BASE, enabled: false }, ['a']],
])('refuses what it cannot explain: %s', (_name, base, prop, props, json) => {
  expect(() => varied(base, prop, props, json)).toThrow(TemplateError);
});

test('what nothing changes stays', () => {
  expect(
    varied({ a: [1, 'x', null] }, 'enabled', { ...BASE, enabled: false }, { a: [1, 'x', null] }),
  ).toEqual({
    at: { a: [1, 'x', null] },
  });
});
