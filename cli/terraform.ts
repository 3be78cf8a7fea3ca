/** `npm run terraform-module`: writes the Terraform modules. See `--help`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FlagError } from './flags.ts';
import { runCommand } from './run-command.ts';

await runCommand({
  flags: {
    out: {
      type: 'text',
      default: 'modules/precise-ttl',
      value: 'FOLDER',
      help: 'the folder to write the modules to; what an earlier version wrote there is replaced',
    },
  },
  help: flags => `npm run terraform-module -- [flags]

Writes two Terraform modules: existing-table, which sweeps a table that is there, and new-table, which creates it. They need
no Node and no CDKTF where they are used: docs/terraform.md.

${flags}

Exit status: 0 written, 1 not, 2 wrong flags.`,
  run: async ({ out }) => {
    if (statSync(out, { throwIfNoEntry: false })?.isFile()) {
      throw new FlagError(`--out: expected a folder, got the file "${out}"`);
    }
    // Only now: loading CDKTF takes most of a second.
    const { writeTerraformModule } = await import('../stacks/terraform-module/write.ts');
    for (const file of writeTerraformModule(out)) console.log(join(out, file));
    return 0;
  },
});
