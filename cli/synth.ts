/** `precise-ttl synth`: writes the Terraform configuration. See `--help`. */
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { synthesizeStack } from './deploy/synthesized-stack.ts';
import { CONFIG, textFlag } from './flags.ts';
import { printData } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

export const command = defineCommand({
  flags: {
    config: CONFIG,
    out: textFlag('FOLDER', 'where to (default: cdktf.out beside the configuration)'),
    json: textFlag('FILE', 'also write the paths of what was written to a file'),
  },
  help: flags => `npx precise-ttl synth [flags]

Writes the Terraform of the configuration: cdktf.out/stacks/precise-ttl/cdk.tf.json, with the functions beside it. Needs neither
credentials nor Terraform nor the CDKTF CLI.

${flags}

Exit status: 0 written, 1 not, 2 wrong flags.`,
  async run({ config, out, json }) {
    const resultFile = json === undefined ? undefined : writableFile('--json', json);
    const { cdktfOut, stack } = await synthesizeStack({
      config,
      ...(out !== undefined && { outdir: resolve(out) }),
    });
    const terraform = join(stack, 'cdk.tf.json');
    printData(relative(process.cwd(), terraform) || terraform);
    if (resultFile !== undefined) {
      writeFileSync(resultFile, `${JSON.stringify({ cdktfOut, stack, terraform }, null, 2)}\n`);
    }
    return 0;
  },
});
