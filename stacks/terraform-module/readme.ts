import { tableFields, type Variable } from './variables.ts';

export interface Output {
  readonly description: string;
  readonly value: unknown;
}

/** README.md of the module. */
export function readme(variables: readonly Variable[], outputs: Readonly<Record<string, Output>>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const inputs = variables.map(({ name, type, description, byDefault = '' }) => {
    const short = type.includes('\n') ? `${type.slice(0, type.indexOf('({'))}({ … })` : type;
    return `| \`${name}\` | ${cell(description)} | \`${short}\` | ${byDefault === '' ? 'required' : `\`${cell(byDefault)}\``} |`;
  });
  const fields = tableFields().map(
    ({ name, type, description, byDefault }) =>
      `| \`${name}\` | ${cell(description)} | \`${type}\` | ${cell(byDefault)} |`,
  );
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
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

## Inputs

| name | description | type | default |
|---|---|---|---|
${inputs.join('\n')}

## A table of \`tables\`

\`table\` is the resource, which has to be given. What else can be set:

| name | description | type | default |
|---|---|---|---|
${fields.join('\n')}

## Outputs

| name | description |
|---|---|
${rows.join('\n')}
`;
}
