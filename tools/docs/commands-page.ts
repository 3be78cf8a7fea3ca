import { COMMANDS } from '../../cli/commands.ts';
import { generalHelp } from '../../cli/main.ts';

const HEAD = `# Commands

\`npx precise-ttl COMMAND\`, where the package is installed and in a checkout of this repository. \`npm run docs\` makes this page of
their helps, and a test fails when it is out of date.

Three rules hold for all of them. What a person can mend is told in one line on stderr, with what was expected, what was got and
what to do. The exit status is 0 when it was done, 1 when it was not, and 2 for a wrong command line; 130 and 143 say that
Ctrl-C or SIGTERM ended it. Of \`doctor\`, 0, 1 and 2 are its verdict, and 3 says that it has none, also for a wrong command
line. With \`--json FILE\` the facts that a command prints are written to a file too; \`outputs\` prints JSON and nothing else to
stdout.

The configuration is the file that \`--config\` names, or \`precise-ttl.config.ts\`, \`.js\`, \`.mjs\`, \`.cjs\` or \`.json\` in the
working directory. TypeScript needs Node 22.18 or later, which takes the types off by itself; the file is an ES module
whatever \`package.json\` says. JSON may name its schema, \`"$schema": "./node_modules/precise-ttl/schema.json"\`: editors then
complete the fields. What \`synth\`, \`deploy\` and the others make lies beside the configuration: \`cdktf.out\`, and Terraform's
state if it is a local one. For a file of another name, such as \`prod.json\`, it lies in a folder of its own,
\`precise-ttl.prod\`.`;

/** The text of docs/commands.md. */
export async function commandsPage(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) => `## ${name}\n\n${code((await load()).help())}`),
  );
  return `${[HEAD, code(generalHelp()), ...sections].join('\n\n')}\n`;
}

const code = (text: string) => `\`\`\`text\n${text}\n\`\`\``;
