import { fieldPathOf, pathOf } from '../../config/prop-groups.ts';
import { problemOf, RELATIONS, type Relation } from '../../config/prop-relations.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { expression, hcl, when } from '../../config/values.ts';
import { inHcl, snake } from './snake.ts';

/**
 * Makes a list with the message of each broken rule between the settings of a table. @param table the table that `t` stands for, with the
 * key `key`
 */
export function brokenRulesOf(table: ResolvedProps): string {
  const rules = RELATIONS.map(rule => when(rule.holds(table), [], [sentenceOf(rule, table)]));
  return `flatten([\n  for key, t in local.tables : ${hcl(rules)}\n])`;
}

function sentenceOf(rule: Relation, table: ResolvedProps): string {
  const { field, expected, got, remedy } = problemOf(rule, table);
  // The keys come from the table's data source.
  const path = pathOf(field) === field ? field : fieldPathOf(field);
  const value = expression<string>(`jsonencode(${hcl(got)})`);
  return `tables, ${snake(path)}: expected ${inHcl(expected)}, got ${value} for ${expression<string>('key')}. ${inHcl(remedy)}`;
}
