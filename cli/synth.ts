/** `precise-ttl synth`: writes the Terraform configuration. See `--help`. */
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { loadConfigFile } from '../config/config-file.ts';
import { synthesizeStack } from './deploy/run-terraform.ts';
import { CONFIG, FlagError, textFlag, writableFile, writableFolder } from './flags.ts';
import { printData } from './print.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: {
    config: CONFIG,
    out: textFlag('FOLDER', 'where to (default: cdktf.out beside the configuration)'),
    module: textFlag('DIR', 'write a module for a Terraform root of yours instead'),
    json: textFlag('FILE', 'also write the paths of what was written to a file'),
  },
  help: flags => `npx precise-ttl synth [flags]

Writes the Terraform of the configuration: cdktf.out/stacks/precise-ttl/cdk.tf.json, with the functions beside it. Needs neither
credentials nor Terraform nor the CDKTF CLI.

With --module: main.tf.json without provider and backend, the functions beside it, and a README. Region, default tags and state are
those of the root that calls the module.

${flags}

Exit status: 0 written, 1 not, 2 wrong flags.`,
  async run({ config, out, module, json }) {
    if (out !== undefined && module !== undefined)
      throw new FlagError('--module: expected no --out beside it, got both; leave one out');
    const resultFile = json === undefined ? undefined : writableFile('--json', json);
    const written = module === undefined ? await writeStack(config, out) : await writeModule(config, module);
    printData(relative(process.cwd(), written.terraform) || written.terraform);
    if (resultFile !== undefined) writeFileSync(resultFile, `${JSON.stringify(written, null, 2)}\n`);
    return 0;
  },
});

async function writeStack(config: string | undefined, out: string | undefined) {
  const { cdktfOut, stack } = await synthesizeStack({
    config,
    ...(out !== undefined && { outdir: resolve(out) }),
  });
  return { cdktfOut, stack, terraform: join(stack, 'cdk.tf.json') };
}

async function writeModule(config: string | undefined, folder: string) {
  const module = writableFolder('--module', folder);
  const loaded = await loadConfigFile(config);
  const { synthesizeModule } = await import('../stacks/module.ts');
  return { module, terraform: synthesizeModule(loaded, module) };
}
