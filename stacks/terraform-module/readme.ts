import { shortType, tableFields, type Variable } from './variables.ts';

export interface Output {
  readonly description: string;
  readonly value: unknown;
}

type Outputs = Readonly<Record<string, Output>>;

/** README.md of the module. */
export function readme(variables: readonly Variable[], outputs: Outputs): string {
  return `# precise-ttl

Deletes expired items of DynamoDB tables within a second or two of their expiry. The tables are yours: the module takes their resources, and
changes nothing about them. \`examples/two-tables\` is a whole configuration.

\`\`\`hcl
module "precise_ttl" {
  source = "./modules/precise-ttl"

  tables = {
    sessions = {
      table         = aws_dynamodb_table.sessions
      ttl_attribute = "expiresAt"
    }
  }
}
\`\`\`

The module has no provider and no backend of its own.

${inputsTable(variables)}
## A table of \`tables\`

\`table\` is the resource, which has to be given. What else can be set:

${table(
  ['name', 'description', 'type', 'default'],
  tableFields().map(({ name, type, description, byDefault }) => [
    `\`${name}\``,
    description,
    `\`${type}\``,
    byDefault,
  ]),
)}
${outputsTable(outputs)}`;
}

/** README.md of the module of a part. @param text a sentence about it */
export function partReadme(
  name: string,
  text: string,
  variables: readonly Variable[],
  outputs: Outputs,
): string {
  return `# precise-ttl: ${name}

${text}

The module above calls it for each table that has it. Its inputs are made of that one's, and may change with each version.

${inputsTable(variables)}
${outputsTable(outputs)}`;
}

function inputsTable(variables: readonly Variable[]): string {
  const rows = variables.map(({ name, type, description, byDefault = '' }) => {
    return [
      `\`${name}\``,
      description,
      `\`${shortType(type)}\``,
      byDefault === '' ? 'required' : `\`${byDefault}\``,
    ];
  });
  return `## Inputs\n\n${table(['name', 'description', 'type', 'default'], rows)}`;
}

function outputsTable(outputs: Outputs): string {
  const rows = Object.entries(outputs).map(([name, { description }]) => [`\`${name}\``, description]);
  return `## Outputs\n\n${table(['name', 'description'], rows)}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(each => each.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(heads)}|${'---|'.repeat(heads.length)}\n${rows.map(line).join('')}`;
}
