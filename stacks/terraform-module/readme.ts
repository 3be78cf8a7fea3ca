import type { Variable } from './variables.ts';

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

What can be set of a table stands in \`variables.tf\`, each with its default. The module has no provider and no backend of its own.

${tables(variables, outputs)}`;
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

${tables(variables, outputs)}`;
}

function tables(variables: readonly Variable[], outputs: Outputs): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const inputs = variables.map(({ name, type, description, byDefault = '' }) => {
    const short = type.includes('\n') ? `${type.slice(0, type.indexOf('({'))}({ … })` : type;
    return `| \`${name}\` | ${cell(description)} | \`${short}\` | ${byDefault === '' ? 'required' : `\`${cell(byDefault)}\``} |`;
  });
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return `## Inputs

| name | description | type | default |
|---|---|---|---|
${inputs.join('\n')}

## Outputs

| name | description |
|---|---|
${rows.join('\n')}
`;
}
