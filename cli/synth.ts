import { join, relative, resolve } from 'node:path';
import { loadConfigFile } from '../stacks/config/config-file.ts';
import { CONFIG, defineCommand, EXIT, textFlag, wrong } from './command.ts';
import { synthesizeStack } from './deploy.ts';
import { writableFolder } from './files.ts';

const folder = (help: string) => textFlag('DIR', 'a folder', help);

export const command = defineCommand({
  name: 'synth',
  flags: {
    out: folder('where to (default: cdktf.out beside the configuration)'),
    module: folder('write a module for a Terraform root of yours instead'),
    config: CONFIG,
  },
  about: `Writes the Terraform of the configuration: cdktf.out/stacks/precise-ttl/cdk.tf.json, with the functions beside it. Needs neither
credentials nor Terraform nor the CDKTF CLI.

With --module: main.tf.json without provider and backend, and the functions beside it. Region, default tags and state are
those of the root that calls the module.`,
  exits: '0 written, 1 not',
  check({ flags: { out, module } }) {
    if (out !== undefined && module !== undefined)
      throw wrong('--module', 'no --out beside it', 'both', 'Leave one out.');
  },
  async run({ flags: { config, out, module } }) {
    const data = module === undefined ? await writeStack(config, out) : await writeModule(config, module);
    return { data, text: relative(process.cwd(), data.terraform) || data.terraform, exit: EXIT.fine };
  },
});

async function writeStack(config: string | undefined, out: string | undefined) {
  const outdir = out === undefined ? undefined : writableFolder('--out', out);
  const { cdktfOut, stack } = await synthesizeStack({ config, ...(outdir && { outdir: resolve(outdir) }) });
  return { cdktfOut, stack, terraform: join(stack, 'cdk.tf.json') };
}

async function writeModule(config: string | undefined, folder: string) {
  const module = writableFolder('--module', folder);
  const loaded = await loadConfigFile(config);
  const { synthesizeModule } = await import('../stacks/module.ts');
  return { module, terraform: synthesizeModule(loaded, module) };
}
