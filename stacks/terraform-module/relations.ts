import { RELATIONS, type Relation } from '../prop-relations.ts';
import { PROPS, type PropName, type ResolvedProps } from '../props.ts';
import { expression, hcl, when } from '../values.ts';
import { snake } from './snake.ts';

/** What the module does not have. */
const NOT_YET: readonly PropName[] = ['archiveFirst'];

/** A sentence for each rule between the settings of a table that is broken. @param table the one that `t` stands for, with the key `key` */
export function brokenRulesOf(table: ResolvedProps): string {
  const rules = RELATIONS.filter(({ field }) => !NOT_YET.includes(field)).map(rule => problemOf(rule, table));
  return `flatten([\n  for key, t in local.tables : ${hcl(rules)}\n])`;
}

/** A list of the sentence, or none. */
function problemOf({ field, isBroken, expected, got, remedy }: Relation, table: ResolvedProps): unknown {
  const value = got === undefined ? expression<string>(`jsonencode(${hcl(table[field])})`) : got(table);
  const key = expression<string>('key');
  const problem = `tables, ${snake(field)}: expected ${inModule(expected(table))}, got ${value} for ${key}. ${inModule(remedy(table))}`;
  return when(isBroken(table), [problem], []);
}

/** Names and values of props as HCL has them. */
function inModule(text: string): string {
  return text
    .replaceAll(/\b[a-z]+[A-Z][A-Za-z]*\b/g, name => (name in PROPS ? snake(name) : name))
    .replaceAll(/\b([a-z_]+): (?=['\d])/g, (all, name: string) => (isField(name) ? `${name} = ` : all))
    .replaceAll(/'([^']*)'/g, '"$1"');
}

const FIELDS = Object.keys(PROPS).map(snake);
const isField = (name: string) => FIELDS.includes(name);
