import { escaped, literal } from '../terraform-text.ts';
import type { JsonObject } from './synthesize.ts';
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

/** The outputs that were synthesized, as expressions. */
export function outputsOf(json: JsonObject): Output[] {
  return Object.entries(json as Readonly<Record<string, { description: string; value: string }>>)
    .map(([name, { description, value }]) => ({
      name,
      description,
      value: value.replace(/^\$\{(.*)\}$/s, '$1'),
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

/** Attributes with their signs below each other, as `terraform fmt` writes them. */
function aligned(attributes: readonly (readonly string[])[]): string {
  const width = Math.max(...attributes.map(([name = '']) => name.length));
  return attributes.map(([name = '', value]) => `  ${name.padEnd(width)} = ${value}\n`).join('');
}
