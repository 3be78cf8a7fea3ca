import { writeFileSync } from 'node:fs';
import { loadConfig } from '../config/load-config.ts';
import { modelPropsOf } from '../config/model-of.ts';
import { chooseTable } from '../operate/choose-tables.ts';
import { commandLine } from '../operate/command-line.ts';
import { TERRAFORM_HELP } from './deploy/flags.ts';
import { DeployError, requireTerraform, Terraform, terraformBinary } from './deploy/run-terraform.ts';
import { synthesizeStack } from './deploy/synthesized-stack.ts';
import { CONFIG, FlagError, type FlagValues, switchFlag, textFlag } from './flags.ts';
import { print, printData } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

/** `precise-ttl model`: prints as JSON what all writers of a table must agree on, or the outputs of the deployment. See `--help`. */

const FLAGS = {
  table: textFlag('NAME', 'a table of the configuration (default: the only one)'),
  deployed: switchFlag('print what is deployed, of all tables, as Terraform has it'),
  out: textFlag('FILE', 'write it to a file (default: print it)'),
  config: CONFIG,
} as const;

export const command = defineCommand({
  flags: FLAGS,
  help: flags => `npx precise-ttl model [flags]

Prints the expiry model of a table as JSON, as the configuration has it: the names of its keys and attributes and, by window,
granularityMinutes and shards. expiryModel(JSON.parse(text)) takes it, and writers in other languages can read the same file.

With --deployed it prints the deployment's outputs: by table its ARN, that of its stream where archive or events reads it, its
deployment with the ARNs of the state machines of the ticks and of replays, the URL of the queue of starts that did not get through,
the ARN of the topic that its alarms tell, the name and the address of its dashboard, and the expiry model that its writers must have.
Everything else that it says goes to stderr.

${flags}

How to stamp items by it: docs/use.md of precise-ttl. With --deployed it runs Terraform.
${TERRAFORM_HELP}

Exit status: 0 printed or written; 1 not (no configuration or a wrong one; with --deployed nothing deployed yet, or no access to the
state); 2 wrong flags.`,
  async run(flags) {
    const { table, deployed, out } = flags;
    if (deployed && table !== undefined) {
      throw new FlagError(`--table: expected none with --deployed, got "${table}"; it prints all tables`);
    }
    const file = out === undefined ? undefined : writableFile('--out', out);
    const { what, value } = await (deployed ? deployment(flags) : tableModel(flags));
    const json = JSON.stringify(value, null, 2);
    if (file === undefined) {
      printData(json);
    } else {
      writeFileSync(file, `${json}\n`);
      print(`${out}: ${what}`);
    }
    return 0;
  },
});

/** The text to print, and a message that describes it. */
interface Printed {
  readonly what: string;
  readonly value: object;
}

async function tableModel({ table, config }: FlagValues<typeof FLAGS>): Promise<Printed> {
  const chosen = chooseTable(await loadConfig(config), table);
  return { what: `the expiry model of ${chosen.tableName}`, value: modelPropsOf(chosen) };
}

/**
 * Reads the outputs of the deployment of a configuration, by tables.
 *
 * @throws {DeployError} when there is no deployment, or Terraform cannot read its state
 */
async function deployment({ config }: FlagValues<typeof FLAGS>): Promise<Printed> {
  const program = terraformBinary(process.env);
  await requireTerraform(program);
  const terraform = new Terraform(program, await synthesizeStack({ config }));
  await terraform.init();
  const { tables } = await terraform.outputs();
  if (tables === undefined) {
    throw new DeployError(
      `Outputs: expected those of a deployment, got none; run ${commandLine('deploy')} first.`,
    );
  }
  return { what: 'what is deployed', value: { tables: tables.value } };
}
