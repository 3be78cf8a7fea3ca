import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeployError } from './terraform-binary.ts';

/** In the stack's folder. It can hold what is secret, so it goes at the end. */
const PLAN = 'precise-ttl.plan';

/** Of `plan -detailed-exitcode`. */
const CHANGES = 2;

/** Bytes. The plan of a hundred tables is some ten megabytes of JSON. */
const MOST_OUTPUT = 2 ** 30;

/** Terraform does not tell its maker of this run. */
const ENVIRONMENT = { CHECKPOINT_DISABLE: '1' };

/** Terraform in the folder of a synthesized stack, in this terminal. */
export class Terraform {
  readonly #program: string;
  readonly #stack: string;

  constructor(program: string, stack: string) {
    this.#program = program;
    this.#stack = stack;
  }

  /**
   * Gets the provider and opens the state. What it prints goes to stderr, so that stdout stays for the plan, or an answer.
   * @throws {DeployError} when Terraform has said why not
   */
  async init(): Promise<void> {
    const upgrade = this.#isLockedOtherwise() ? ['-upgrade'] : [];
    const status = await this.#run(['init', '-input=false', ...upgrade], process.stderr);
    if (status !== 0) {
      throw new DeployError(
        `Terraform: expected terraform init to succeed in ${this.#stack}, got exit status ${status}; what it says above is ` +
          'what to mend. Options that it names can be given there by hand: terraform -chdir, see docs/deploy.md of ' +
          'precise-ttl.',
      );
    }
  }

  /**
   * Shows what would be changed.
   * @returns whether something would; undefined when Terraform refused the plan, and has said why
   */
  async plan(): Promise<boolean | undefined> {
    const status = await this.#run(['plan', '-input=false', '-detailed-exitcode', `-out=${PLAN}`]);
    return status === 0 ? false : status === CHANGES ? true : undefined;
  }

  /** The plan that {@link plan} has shown, as `terraform show -json` says it. */
  planned(): Promise<object> {
    return this.#json(['show', '-json', PLAN]);
  }

  /** Does what {@link plan} has shown, and nothing else. @returns the exit status */
  apply(): Promise<number> {
    return this.#run(['apply', '-input=false', PLAN]);
  }

  forgetPlan(): void {
    rmSync(join(this.#stack, PLAN), { force: true });
  }

  /**
   * The outputs of what is deployed, by their names.
   * @throws {DeployError} with what Terraform says
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
      maxBuffer: MOST_OUTPUT,
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
    // A terminal sends Ctrl-C to the child too: it ends in its own way, and we with its status.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    try {
      const [status] = (await once(child, 'exit')) as [number | null];
      return status ?? 1;
    } finally {
      process.off('SIGINT', ignore);
    }
  }

  /**
   * Whether an earlier version of this package has left a lock file with another version of a provider: `init` alone refuses
   * that. Both files name one exact version of each.
   */
  #isLockedOtherwise(): boolean {
    const lock = read(join(this.#stack, '.terraform.lock.hcl'));
    if (lock === undefined) return false;
    const { terraform } = JSON.parse(readFileSync(join(this.#stack, 'cdk.tf.json'), 'utf8')) as {
      terraform?: { required_providers?: Readonly<Record<string, { readonly version?: string }>> };
    };
    const versions = Object.values(terraform?.required_providers ?? {}).map(({ version }) => version ?? '');
    return versions.some(version => !lock.includes(`constraints = "${version}"`));
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
