import { RELATIONS, type Relation } from '../../config/prop-relations.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { expression, hcl, when } from '../../config/values.ts';
import { inHcl, snake } from './snake.ts';

/** A sentence for each rule between the settings of a table that is broken. @param table the one that `t` stands for, with the key `key` */
export function brokenRulesOf(table: ResolvedProps): string {
  const rules = RELATIONS.map(rule => problemOf(rule, table));
  return `flatten([\n  for key, t in local.tables : ${hcl(rules)}\n])`;
}

/** A list of the sentence, or none. */
function problemOf({ field, isBroken, expected, got, remedy }: Relation, table: ResolvedProps): unknown {
  const value = got === undefined ? expression<string>(`jsonencode(${hcl(table[field])})`) : got(table);
  const key = expression<string>('key');
  const problem = `tables, ${snake(field)}: expected ${inHcl(expected(table))}, got ${value} for ${key}. ${inHcl(remedy(table))}`;
  return when(isBroken(table), [problem], []);
}
