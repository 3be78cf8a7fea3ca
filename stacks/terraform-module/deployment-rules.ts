// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { type AlarmName, isRecorded, neededFor, tuningKinds } from '../../config/alarms.ts';
import { namesOfDeployment, namesOfTable } from '../../config/names.ts';
import { MAX_NAME_LENGTH } from '../../config/props.ts';
import { expression, hcl } from '../../config/values.ts';
import { anyTableHas, PART_NAMES, PARTS } from './parts.ts';
import { snake } from './snake.ts';
import { MODULE_ALARMS } from './variables.ts';

/** A rule between several variables. OpenTofu 1.10 does not allow a variable's validation to refer to another variable. */
interface Rule {
  readonly isBroken: string;
  /** Message of the rule, a Terraform template. */
  readonly message: string;
}

/** Whether the table `t` has resources of its own. */
const HAS_PARTS = PART_NAMES.map(part => PARTS[part].condition).join(' || ');

/** Limits a name so that the names made from it are not too long. */
const LENGTH: Rule = {
  isBroken: `anytrue([for t in local.tables : length(t.name) > ${MAX_NAME_LENGTH} if ${HAS_PARTS}])`,
  message: `tables, name: expected at most ${MAX_NAME_LENGTH} characters, got \${join(", ", [for key, t in local.tables : "\${t.name} for \${key}" if length(t.name) > ${MAX_NAME_LENGTH} && (${HAS_PARTS})])}. What is made for the table itself is named after it: choose a shorter one with name.`,
};

/** Requires different names of roles and state machines. IAM's names do not differ by case. */
function namesRule(): Rule {
  const deployment = namesOfDeployment('name', '${var.name}');
  const all = (what: 'roles' | 'stateMachines') =>
    `concat(\n${[
      hcl(deployment[what]),
      ...PART_NAMES.map(part => {
        const names = { tableName: '', name: expression<string>('t.name'), ...PARTS[part].named };
        return `flatten([for t in local.tables : ${hcl(namesOfTable('name', names)[what])} if ${PARTS[part].condition}])`;
      }),
    ].join(',\n')}\n)`;
  return {
    isBroken: `(\n!can({ for each in ${all('roles')} : lower(each) => each }) ||\n!can({ for each in ${all('stateMachines')} : each => each })\n)`,
    message: `tables, name: expected names whose roles and state machines nobody else has; IAM sees no difference in case, got \${jsonencode({ for key, t in local.tables : key => t.name if ${HAS_PARTS} })} in \${var.name}. Give one of them another name.`,
  };
}

/** Refuses the tuning of an alarm that is turned off. */
function alarmRules(alarm: AlarmName): Rule[] {
  const name = `alarms.${snake(alarm)}`;
  const isTuned = Object.keys(tuningKinds(alarm))
    .map(field => `var.${name}.${field} != null`)
    .join(' || ');
  const got = `got \${jsonencode(var.${name})}`;
  const needed = neededFor(alarm);
  const props = needed.join(' or ');
  return [
    ...(needed.length === 0
      ? []
      : [
          {
            isBroken: `(${isTuned}) && !${anyTableHas(needed)}`,
            message: `${name}: expected nothing without ${props}, ${got}. Leave it out, or add ${props}.`,
          },
        ]),
    ...(isRecorded(alarm, 'essential')
      ? []
      : [
          {
            isBroken: `(${isTuned}) && var.metrics != "all"`,
            message: `${name}: expected nothing with metrics = "essential", which does not record what this alarm looks at, ${got}. Leave it out, or set metrics = "all".`,
          },
        ]),
  ];
}

/** Makes a list with the message of each broken rule. */
export function brokenDeploymentRules(): string[] {
  const rules = [LENGTH, namesRule(), ...MODULE_ALARMS.flatMap(alarmRules)];
  return rules.map(({ isBroken, message }) => `${isBroken} ? [${hcl(message)}] : []`);
}
