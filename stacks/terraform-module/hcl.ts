import { escaped, literal } from '../terraform-text.ts';
import type { JsonObject } from './synthesize.ts';
import { asExpression } from './template.ts';
import { LOCALS } from './terms.ts';
import type { Variable } from './variables.ts';

/** `variables.tf` */
export function variablesTf(variables: readonly Variable[]): string {
  return variables.map(variableBlock).join('\n');
}

function variableBlock(variable: Variable): string {
  const { name, type, description, validations } = variable;
  const fallback = variable.default;
  const attributes = [
    ['description', literal(description)],
    ['type', type],
    ...(fallback === undefined ? [] : [['default', JSON.stringify(fallback)]]),
    // A null given by the caller is the default, too.
    ...(fallback === null ? [] : [['nullable', 'false']]),
  ];
  const blocks = validations.map(
    ({ condition, message }) =>
      `\n  validation {\n    condition     = ${condition}\n    error_message = ${quoted(message)}\n  }\n`,
  );
  return `variable "${name}" {\n${aligned(attributes)}${blocks.join('')}}\n`;
}

/** A template in quotes; its expressions stay what they are. */
function quoted(template: string): string {
  return `"${template}"`;
}

/** `locals.tf` */
export function localsTf(): string {
  return `locals {\n${Object.entries(LOCALS)
    .map(([name, expression]) => `  ${name} = ${expression}\n`)
    .join('\n')}}\n`;
}

export interface Output {
  readonly name: string;
  readonly description: string;
  /** A Terraform expression. */
  readonly value: string;
}

interface SynthesizedOutput {
  readonly description: string;
  readonly value: string | Readonly<Record<string, string>>;
}

/** What a prop may leave out is not in the object, instead of being null. */
function objectOf(values: Readonly<Record<string, string>>): string {
  const entries = Object.entries(values).map(([name, value]) => [name, asExpression(value)]);
  const object = `{\n${aligned(entries).replaceAll(/^/gm, '  ').trimEnd()}\n  }`;
  const isOptional = ([, value = '']: readonly string[]) => value.endsWith(' : null');
  return entries.some(isOptional)
    ? `{ for name, value in ${object} : name => value if value != null }`
    : object;
}

/** The outputs that were synthesized, as expressions. */
export function outputsOf(json: JsonObject): Output[] {
  return Object.entries(json as unknown as Readonly<Record<string, SynthesizedOutput>>)
    .map(([name, { description, value }]) => ({
      name,
      description,
      value: typeof value === 'string' ? asExpression(value) : objectOf(value),
    }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** `outputs.tf` */
export function outputsTf(outputs: readonly Output[]): string {
  return outputs
    .map(
      ({ name, description, value }) =>
        `output "${name}" {\n${aligned([
          ['description', literal(description)],
          ['value', value],
        ])}}\n`,
    )
    .join('\n');
}

export interface Versions {
  readonly terraform: string;
  readonly aws: string;
}

/** `versions.tf` */
export function versionsTf({ terraform, aws }: Versions): string {
  return `terraform {
  required_version = "${terraform}"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "${escaped(aws)}"
    }
  }
}
`;
}

/** Attributes with their signs below each other, as `terraform fmt` writes them: one of several lines, the last, stands for itself. */
function aligned(attributes: readonly (readonly string[])[]): string {
  const isLong = (value = '') => value.includes('\n');
  const short = attributes.filter(([, value]) => !isLong(value));
  const width = Math.max(...short.map(([name = '']) => name.length));
  return attributes
    .map(([name = '', value]) => `  ${isLong(value) ? name : name.padEnd(width)} = ${value}\n`)
    .join('');
}
