import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { PreciseTtlError } from '../expiry/errors.ts';
import { CONFIG_FILES, findConfigFile, loadConfigFile } from '../stacks/config/config-file.ts';
import { CONFIG, defineCommand, isWrongUsage, wrong } from './command.ts';

export const TERRAFORM_HELP =
  'TERRAFORM_BINARY_NAME: another program than terraform, e.g. tofu. It uses the AWS credentials that Terraform finds.';

export const command = defineCommand({
  name: 'deploy',
  usage: '[flags] [-- FLAGS OF TERRAFORM]',
  flags: {
    diff: { help: 'show what would change (terraform plan), and change nothing' },
    destroy: { help: 'remove everything but the tables, the journal and the bucket' },
    config: CONFIG,
    json: { help: "print the folder and Terraform's exit status; what Terraform prints is then on stderr" },
  },
  passes: true,
  about: `Writes the Terraform of the configuration and runs terraform init and terraform apply in cdktf.out/stacks/precise-ttl, with what
stands behind -- passed on to apply, or with --diff to plan: -- -auto-approve, -- -refresh=false. Terraform shows the plan and asks. A
plan that would delete or replace a table, the journal or the archive's bucket is refused: docs/operate.md of precise-ttl, "Tables are
never deleted". cdktf.out, the provider's lock file and a local state lie beside the configuration.

--diff -- -out="$PWD/FILE" keeps the plan, and deploy -- "$PWD/FILE" applies it.
--destroy applies a stack without sweeps. Tables keep their items, indexes and native TTL; Terraform forgets them, the journal and the
bucket. Queues go with their messages, topics with their subscriptions, and logs. A plain terraform destroy is refused.

${TERRAFORM_HELP}`,
  exits:
    '0 deployed or shown, 1 not; with --diff -- -detailed-exitcode 2 when something would change, and 1 for a wrong configuration',
  async run({ flags: { config, diff, destroy, json }, passed }) {
    const terraform = await openTerraform({ config, removed: destroy }).catch((error: unknown) => {
      // With -detailed-exitcode, status 2 means that the plan has changes. So wrong usage, which otherwise has status 2, gets status 1.
      throw isWrongUsage(error) && passed.includes('-detailed-exitcode')
        ? new TerraformError(error.message)
        : error;
    });
    const args = [diff ? 'plan' : 'apply', ...passed];
    const exit = await terraform.run(args, json ? process.stderr : process.stdout);
    return { data: { folder: terraform.stack, exit }, exit };
  },
});

interface SynthesisFlags {
  readonly config: string | undefined;
  readonly removed?: boolean;
  readonly outdir?: string;
}

/** Writes the stack of the configuration. @returns absolute paths; `stack` is the folder in which Terraform runs */
export async function synthesizeStack(flags: SynthesisFlags) {
  const config = await loadConfigFile(flags.config);
  // CDKTF is imported after the configuration is read: its import takes most of a second, and would delay errors of the file.
  const { STACK, synthesize } = await import('../stacks/app.ts');
  const project = projectFolder(findConfigFile(flags.config));
  const cdktfOut = flags.outdir ?? join(project, 'cdktf.out');
  mkdirSync(cdktfOut, { recursive: true });
  synthesize({ config, outdir: cdktfOut, removed: flags.removed ?? false });
  return { project, cdktfOut, stack: join(cdktfOut, 'stacks', STACK) };
}

/**
 * Returns the folder for `cdktf.out`, Terraform's lock file and a local state file. A configuration whose file name is not in CONFIG_FILES
 * has its own folder, because two configurations with the same state file would remove each other's resources.
 * @param configFile absolute path
 */
export function projectFolder(configFile: string): string {
  const [folder, name] = [dirname(configFile), basename(configFile)];
  return CONFIG_FILES.includes(name) ? folder : join(folder, `precise-ttl.${basename(name, extname(name))}`);
}

export class TerraformError extends PreciseTtlError {
  override readonly name = 'TerraformError';
}

/** Environment variables of Terraform. CHECKPOINT_DISABLE turns off Terraform's check for new versions, a request to HashiCorp. */
const environment = () => ({ ...process.env, CHECKPOINT_DISABLE: '1' });
const LOCK_FILE = '.terraform.lock.hcl';

/**
 * Returns `terraform`, or the program that `TERRAFORM_BINARY_NAME` names. Its version is not checked here, but by the stack's `required_version`.
 * @throws {InvalidFieldError} when the program does not run
 */
export async function requireTerraform(): Promise<string> {
  const program = process.env['TERRAFORM_BINARY_NAME'] || 'terraform';
  const remedy =
    'Install it (https://developer.hashicorp.com/terraform/install), or name another program in TERRAFORM_BINARY_NAME.';
  await promisify(execFile)(program, ['version'], { env: environment() }).catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const got = isMissing ? `no program ${program}` : `${program}: ${(error as Error).message}`;
    throw wrong('Terraform', 'Terraform 1.10 or newer', got, remedy);
  });
  return program;
}

/**
 * Synthesizes the stack, and runs `terraform init` in the stack's folder.
 * @throws {InvalidFieldError} without Terraform; {ConfigFileError}, {InvalidConfigError}; {TerraformError} when `terraform init` fails
 */
export async function openTerraform(flags: SynthesisFlags) {
  const program = await requireTerraform();
  const { project, stack } = await synthesizeStack(flags);
  const chdir = `-chdir=${stack}`;
  /** Runs a command of Terraform. @returns the exit status; 1 when a signal ended Terraform */
  const run = async (
    args: readonly string[],
    output: NodeJS.WriteStream = process.stdout,
  ): Promise<number> => {
    const stdio = ['inherit', output, process.stderr] as const;
    const child = spawn(program, [chdir, ...args], { stdio: [...stdio], env: environment() });
    // A terminal sends Ctrl-C to Terraform, too. So this process ignores Ctrl-C, and waits until Terraform has stopped.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    try {
      const [status] = (await once(child, 'exit')) as [number | null];
      return status ?? 1;
    } finally {
      process.off('SIGINT', ignore);
    }
  };
  const output = async (name: string): Promise<unknown> => {
    const args = [chdir, 'output', '-json', '-no-color'];
    const { stdout } = await promisify(execFile)(program, args, { env: environment() });
    return JSON.parse(stdout)[name]?.value;
  };
  const [kept, used] = [join(project, LOCK_FILE), join(stack, LOCK_FILE)];
  if (existsSync(kept)) copyFileSync(kept, used);
  else rmSync(used, { force: true });
  // Terraform's init prints to stderr, so that stdout has only the output of the command that follows.
  const status = await run(['init', '-input=false'], process.stderr);
  if (status !== 0) throw new TerraformError(`Terraform: init ended with ${status} in ${stack}; see above.`);
  if (existsSync(used)) copyFileSync(used, kept);
  return { stack, run, output };
}
