import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PreciseTtlError } from '../../expiry/errors.ts';
import type { SynthesizedStack } from './synthesized-stack.ts';

/** Terraform is not installed, or it failed, or the deployment does not allow the command. The message says what to do. */
export class DeployError extends PreciseTtlError {
  override readonly name = 'DeployError';
}

/** Same version as `required_version` in the stack; checked here before anything is started. */
const MINIMUM = [1, 10] as const;

/** Terraform, or the program that `TERRAFORM_BINARY_NAME` names: the CDKTF CLI reads the same variable. */
export function terraformBinary(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['TERRAFORM_BINARY_NAME'] || 'terraform';
}

/**
 * Checks that Terraform is installed and new enough.
 * @throws {DeployError} saying what to install
 */
export async function requireTerraform(binary: string): Promise<void> {
  const expected = `Terraform ${MINIMUM.join('.')} or newer`;
  const install =
    'install it (https://developer.hashicorp.com/terraform/install), or name another program in TERRAFORM_BINARY_NAME';
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(binary, ['version', '-json'], { timeout: 30_000 }));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const got = missing ? `no program "${binary}"` : `${error}`;
    throw new DeployError(`Terraform: expected ${expected}, got ${got}; ${install}.`);
  }
  const version = terraformVersion(output);
  if (version === undefined) {
    throw new DeployError(`Terraform: expected ${expected}, got "${output.trim()}"; ${install}.`);
  }
  const [major, minor] = version.split('.').map(Number);
  if (
    major === undefined ||
    minor === undefined ||
    major < MINIMUM[0] ||
    (major === MINIMUM[0] && minor < MINIMUM[1])
  ) {
    throw new DeployError(`Terraform: expected ${expected}, got ${version} ("${binary}"); ${install}.`);
  }
}

/** Reads the output of `terraform version -json`; OpenTofu's is the same. */
function terraformVersion(output: string): string | undefined {
  try {
    const { terraform_version: version } = JSON.parse(output) as { terraform_version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** The name that Terraform gives this file. */
export const LOCK_FILE = '.terraform.lock.hcl';

/** Exit status of `plan -detailed-exitcode` when there are changes. */
const CHANGES = 2;

/** Bytes. The plan for a hundred tables is about ten megabytes of JSON. */
const MAX_OUTPUT = 2 ** 30;

/** Turns off Terraform's check for new versions, which would report this run to its maker. */
const ENVIRONMENT = { CHECKPOINT_DISABLE: '1' };

/** The reason why Terraform refuses a plan. */
export interface Refusal {
  readonly summary: string;
  readonly detail: string;
  /** Address of the resource, or of the condition in it, that is refused. Undefined if Terraform does not name it. */
  readonly about: string | undefined;
}

/** Runs Terraform in the folder of a synthesized stack, in this terminal. */
export class Terraform {
  readonly #program: string;
  readonly #stack: string;
  readonly #project: string;

  constructor(program: string, { stack, project }: SynthesizedStack) {
    this.#program = program;
    this.#stack = stack;
    this.#project = project;
  }

  /**
   * Installs the provider and opens the state. The lock file, which fixes the provider's version, is saved beside the
   * configuration. Terraform's output goes to stderr, so that stdout has only the plan or the answer.
   *
   * @param upgrade take the newest provider that the stack allows, and ignore the lock file
   * @throws {DeployError} after Terraform has printed the reason
   */
  async init({ upgrade = false }: { readonly upgrade?: boolean } = {}): Promise<void> {
    const kept = join(this.#project, LOCK_FILE);
    const used = join(this.#stack, LOCK_FILE);
    if (existsSync(kept)) copyFileSync(kept, used);
    const status = await this.#run(
      ['init', '-input=false', ...(upgrade ? ['-upgrade'] : [])],
      process.stderr,
    );
    if (status !== 0) {
      throw new DeployError(
        `Terraform: expected terraform init to succeed in ${this.#stack}, got exit status ${status}; what it says above is ` +
          'what to mend. Options that it names can be given there by hand: terraform -chdir, see docs/operate.md of ' +
          'precise-ttl.',
      );
    }
    if (existsSync(used)) copyFileSync(used, kept);
  }

  /**
   * Shows the changes of a deployment.
   *
   * @param file absolute path where the plan is saved
   * @param quiet show nothing, because it is shown in another way
   * @returns whether there are changes; undefined when Terraform refused the plan and has printed the reason
   */
  async plan(file: string, { quiet = false } = {}): Promise<boolean | undefined> {
    const args = ['plan', '-input=false', '-detailed-exitcode', `-out=${file}`];
    const status = await this.#run(args, quiet ? process.stderr : process.stdout);
    return status === 0 ? false : status === CHANGES ? true : undefined;
  }

  /** Plans once more without saving or showing anything. @returns the reasons of the refusal */
  async refusals(): Promise<Refusal[]> {
    const args = [this.#inStack, 'plan', '-input=false', '-json'];
    const options = { env: { ...process.env, ...ENVIRONMENT }, maxBuffer: MAX_OUTPUT };
    const { stdout } = await promisify(execFile)(this.#program, args, options).catch(
      (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    return stdout.split('\n').flatMap(refusalIn);
  }

  /** A plan as `terraform show -json` prints it. */
  planned(file: string): Promise<object> {
    return this.#json(['show', '-json', file]);
  }

  /** Applies exactly the plan that {@link plan} has shown. @returns the exit status */
  apply(file: string): Promise<number> {
    return this.#run(['apply', '-input=false', file]);
  }

  /**
   * Works with a plan file that is deleted afterwards, because it can contain secrets.
   *
   * @param work gets the absolute path for the plan
   */
  async withPlan<Result>(work: (file: string) => Promise<Result>): Promise<Result> {
    const file = join(this.#stack, 'precise-ttl.plan');
    try {
      return await work(file);
    } finally {
      rmSync(file, { force: true });
    }
  }

  /**
   * The outputs of the deployment, by name.
   * @throws {DeployError} with Terraform's message
   */
  async outputs(): Promise<Readonly<Record<string, { readonly value: unknown } | undefined>>> {
    try {
      return await this.#json(['output', '-json', '-no-color']);
    } catch (error) {
      const { stderr, message } = error as Error & { readonly stderr?: string };
      throw new DeployError(
        `Terraform: expected the outputs of ${this.#stack}, got: ${stderr?.trim() || message}; run terraform init there, ` +
          'or deploy first.',
      );
    }
  }

  async #json<Answer>(args: readonly string[]): Promise<Answer> {
    const { stdout } = await promisify(execFile)(this.#program, [this.#inStack, ...args], {
      env: { ...process.env, ...ENVIRONMENT },
      maxBuffer: MAX_OUTPUT,
    });
    return JSON.parse(stdout);
  }

  get #inStack(): string {
    return `-chdir=${this.#stack}`;
  }

  /** @returns the exit status; 1 when a signal ended it */
  async #run(args: readonly string[], output: NodeJS.WriteStream = process.stdout): Promise<number> {
    const child = spawn(this.#program, [this.#inStack, ...args], {
      stdio: ['ignore', output, process.stderr],
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

/** Reads one line of output; each line is a JSON message. Source: Terraform's "Machine-readable UI". */
function refusalIn(line: string): Refusal[] {
  if (!line.includes('"diagnostic"')) return [];
  try {
    const { severity, summary, detail, address, snippet } = JSON.parse(line).diagnostic ?? {};
    // The message of a failed condition has no address.
    return severity === 'error' ? [{ summary, detail, about: address ?? snippet?.context }] : [];
  } catch {
    return [];
  }
}
