/** `precise-ttl terraform`: writes the Terraform modules. See `--help`. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlagError } from './flags.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

export const command = defineCommand({
  flags: {
    out: {
      type: 'text',
      default: 'modules/precise-ttl',
      value: 'FOLDER',
      help: 'the folder to write the modules to; what this command wrote there before is replaced',
    },
    json: { type: 'text', value: 'FILE', help: 'also write the paths of what was written to a file' },
  },
  help: (flags, call) => `${call('terraform', '[flags]')}

Writes two Terraform modules: existing-table, which sweeps a table that is there, and new-table, which creates it. They need
no Node and no CDKTF where they are used: docs/terraform.md of precise-ttl.

${flags}

Exit status: 0 written, 1 not, 2 wrong flags.`,
  async run({ out, json }) {
    if (statSync(out, { throwIfNoEntry: false })?.isFile()) {
      throw new FlagError(`--out: expected a folder, got the file "${out}"`);
    }
    const resultFile = json === undefined ? undefined : writableFile('--json', json);
    // Only now: loading CDKTF takes most of a second.
    const { foreignIn, writeTerraformModule } = await import('../stacks/terraform-module/write.ts');
    const foreign = foreignIn(out);
    if (foreign.length > 0) {
      throw new FlagError(
        `--out: expected a folder without ${foreign.join(', ')}, or one that this command wrote before, got "${out}"; name another`,
      );
    }
    const files = writeTerraformModule(out, name =>
      printError(`${name}: is synthesized in all its variations, which takes up to a minute …`),
    ).map(file => join(out, file));
    for (const file of files) print(file);
    if (resultFile !== undefined) writeFileSync(resultFile, `${JSON.stringify({ files }, null, 2)}\n`);
    return 0;
  },
});
