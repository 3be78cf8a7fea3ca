import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { CONFIG_FILES, findConfigFile, loadConfigFile } from '../../config/config-file.ts';
import { PreciseTtlError } from '../../expiry/errors.ts';

interface SynthesizedStack {
  /** Absolute path of the configuration's own folder. */
  readonly project: string;
  /** `cdktf.out`, absolute. */
  readonly cdktfOut: string;
  /** The folder in `cdktfOut` in which Terraform runs. */
  readonly stack: string;
}

interface SynthesisFlags {
  /** Path of the configuration file, as for `loadConfigFile`. */
  readonly config: string | undefined;
  /** Synthesizes a stack that removes the deployment but not its tables. @default false */
  readonly removed?: boolean;
  /** @default `cdktf.out` in the project's folder */
  readonly outdir?: string;
}

/**
 * Writes the Terraform configuration of the stack.
 * @throws {ConfigFileError} or {InvalidConfigError} before anything is written
 */
export async function synthesizeStack(flags: SynthesisFlags): Promise<SynthesizedStack> {
  const config = await loadConfigFile(flags.config);
  // Imported late: the CDKTF app takes most of a second to load, and a wrong file should be reported before.
  const { STACK, synthesize } = await import('../../stacks/app.ts');
  const project = projectFolder(findConfigFile(flags.config));
  const cdktfOut = flags.outdir ?? join(project, 'cdktf.out');
  mkdirSync(cdktfOut, { recursive: true });
  synthesize({ config, outdir: cdktfOut, removed: flags.removed ?? false });
  return { project, cdktfOut, stack: join(cdktfOut, 'stacks', STACK) };
}

/**
 * The folder for what is made from a configuration: `cdktf.out`, and Terraform's state if that is local. It lies beside the
 * configuration file, wherever the command is run. A file with another name has a folder of its own, `precise-ttl.<its name>`: two
 * configurations with one state would each remove what the other one deployed.
 *
 * @param configFile absolute path
 */
export function projectFolder(configFile: string): string {
  const folder = dirname(configFile);
  const name = basename(configFile);
  if (CONFIG_FILES.includes(name)) return folder;
  return join(folder, `precise-ttl.${basename(name, extname(name))}`);
}

/** Terraform is not installed, or it failed. The message says what to do. */
export class DeployError extends PreciseTtlError {
  override readonly name = 'DeployError';
}

/** The end of the help of every command that runs Terraform. */
export const TERRAFORM_HELP =
  'TERRAFORM_BINARY_NAME: another program than terraform, e.g. tofu. It uses the AWS credentials that Terraform finds.';

/** Same version as `required_version` in the stack; checked here before anything is written. */
const MINIMUM = [1, 10] as const;

/** Turns off Terraform's check for new versions, which would report this run to its maker. */
const ENVIRONMENT = { CHECKPOINT_DISABLE: '1' };

/** The name that Terraform gives this file. */
const LOCK_FILE = '.terraform.lock.hcl';

/**
 * Checks that Terraform is installed and new enough: the program that `TERRAFORM_BINARY_NAME` names, a variable that the CDKTF CLI reads
 * too.
 *
 * @returns the program
 * @throws {DeployError} saying what to install
 */
export async function requireTerraform(): Promise<string> {
  const program = process.env['TERRAFORM_BINARY_NAME'] || 'terraform';
  const got = await versionOf(program);
  const [major = 0, minor = 0] = got.split('.').map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return program;
  throw new DeployError(
    `Terraform: expected Terraform ${MINIMUM.join('.')} or newer, got ${got}; install it (https://developer.hashicorp.com/terraform/install), or name another program in TERRAFORM_BINARY_NAME.`,
  );
}

/** The version of a program, or what it has instead, in words. OpenTofu answers like Terraform. */
async function versionOf(program: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['version', '-json'], { timeout: 30_000 });
    return /"terraform_version": *"([^"]+)"/.exec(stdout)?.[1] ?? `"${stdout.trim()}"`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? `no program "${program}"` : `${error}`;
  }
}

/** Terraform in the folder of a synthesized stack, in this terminal. */
export class Terraform {
  readonly #program: string;
  readonly #stack: SynthesizedStack;

  private constructor(program: string, stack: SynthesizedStack) {
    this.#program = program;
    this.#stack = stack;
  }

  /**
   * Synthesizes the stack, installs the provider, and opens the state. The lock file, which fixes the provider's version, is saved beside
   * the configuration.
   *
   * @throws {DeployError} when Terraform is missing, or has refused and printed the reason
   * @throws {ConfigFileError} or {InvalidConfigError} before anything is written
   */
  static async of(flags: SynthesisFlags): Promise<Terraform> {
    const terraform = new Terraform(await requireTerraform(), await synthesizeStack(flags));
    const { project, stack } = terraform.#stack;
    const [kept, used] = [join(project, LOCK_FILE), join(stack, LOCK_FILE)];
    if (existsSync(kept)) copyFileSync(kept, used);
    else rmSync(used, { force: true });
    // The answer of a plan is alone on stdout.
    const status = await terraform.run(['init', '-input=false'], process.stderr);
    if (status !== 0) throw new DeployError(`Terraform: init ended with ${status} in ${stack}; see above.`);
    if (existsSync(used)) copyFileSync(used, kept);
    return terraform;
  }

  /** The value of an output of the deployment; undefined if there is none. */
  async output(name: string): Promise<unknown> {
    const args = [`-chdir=${this.#stack.stack}`, 'output', '-json', '-no-color'];
    const { stdout } = await promisify(execFile)(this.#program, args, {
      env: { ...process.env, ...ENVIRONMENT },
    });
    return JSON.parse(stdout)[name]?.value;
  }

  /**
   * What Terraform would replace because its creation broke off, though it holds data: it refuses each plan until it is told that the
   * resource is whole.
   *
   * @returns the commands that tell it
   */
  async untaintCommands(): Promise<string[]> {
    const args = [`-chdir=${this.#stack.stack}`, 'show', '-json'];
    const { stdout } = await promisify(execFile)(this.#program, args, {
      env: { ...process.env, ...ENVIRONMENT },
      maxBuffer: 2 ** 28,
    });
    const { values } = JSON.parse(stdout) as {
      values?: { root_module: { resources?: readonly { address: string; type: string; tainted?: true }[] } };
    };
    return (values?.root_module.resources ?? [])
      .filter(({ type, tainted }) => tainted && /^aws_(dynamodb_table|s3_bucket)$/.test(type))
      .map(({ address }) => `${this.#program} -chdir=${relative('', this.#stack.stack)} untaint ${address}`);
  }

  /** @returns the exit status; 1 when a signal ended it */
  async run(args: readonly string[], output: NodeJS.WriteStream = process.stdout): Promise<number> {
    const child = spawn(this.#program, [`-chdir=${this.#stack.stack}`, ...args], {
      stdio: ['inherit', output, process.stderr],
      env: { ...process.env, ...ENVIRONMENT },
    });
    // A terminal sends Ctrl-C to Terraform too: Terraform stops by itself, and we return its status.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    try {
      const [status] = (await once(child, 'exit')) as [number | null];
      return status ?? 1;
    } finally {
      process.off('SIGINT', ignore);
    }
  }
}
