import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STACK } from '../../../stacks/app.ts';
import type { DeploymentConfig } from '../../../stacks/config.ts';
import { synthesizeToFolder } from '../../support/synthesized.ts';
import { type EmulatedAws, run } from './proof.ts';

/** What a plan would do: addresses by action, e.g. `{ delete: [...], 'delete/create': [...], forget: [...] }`. */
export type Actions = Readonly<Record<string, readonly string[]>>;

export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** A deployment with a state of its own: Terraform in the folder that `cdktf` would run it in. */
export class Deployment {
  readonly #project = mkdtempSync(join(tmpdir(), 'precise-ttl-project-'));
  readonly #aws: EmulatedAws;
  #initialised = false;

  constructor(aws: EmulatedAws) {
    this.#aws = aws;
  }

  get #stack(): string {
    return join(this.#project, 'cdktf.out/stacks', STACK);
  }

  /** This is the configuration from now on. */
  async use(config: DeploymentConfig, options: { readonly removed?: boolean } = {}): Promise<void> {
    const synthesized = synthesizeToFolder(config, options);
    mkdirSync(this.#stack, { recursive: true });
    rmSync(join(this.#stack, 'assets'), { recursive: true, force: true });
    cpSync(join(synthesized, 'stacks', STACK), this.#stack, { recursive: true });
    rmSync(synthesized, { recursive: true, force: true });
    if (this.#initialised) return;
    const { status, output } = await this.terraform(['init', '-input=false']);
    if (status !== 0) throw new Error(output);
    this.#initialised = true;
  }

  async terraform(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...this.#aws.environment,
      ...environment,
    };
    const options = { cwd: this.#stack, env, maxBuffer: 2 ** 26 };
    return run('terraform', [...args, '-no-color'], options).then(
      ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        status: error.code,
        output: error.stdout + error.stderr,
      }),
    );
  }

  /** @returns what the plan would do; or what it was refused for, in one line */
  async plan(): Promise<Actions | string> {
    const { status, output } = await this.terraform(['plan', '-input=false', '-out=plan']);
    if (status !== 0) return output.slice(output.indexOf('Error:')).replaceAll(/[\s│╷╵]+/g, ' ');
    const shown = await this.terraform(['show', '-json', 'plan']);
    const { resource_changes: changes = [] } = JSON.parse(shown.output) as {
      resource_changes?: readonly { address: string; change: { actions: readonly string[] } }[];
    };
    const actions: Record<string, string[]> = {};
    for (const { address, change } of changes) {
      const action = change.actions.join('/');
      if (action === 'no-op' || action === 'read') continue;
      actions[action] ??= [];
      actions[action].push(address);
    }
    return actions;
  }

  /** Applies the last plan. */
  async apply(environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.terraform(['apply', '-input=false', 'plan'], environment);
  }

  /**
   * Plans and applies a configuration, and plans it again.
   * @returns what was done
   */
  async deploy(config: DeploymentConfig, options: { readonly removed?: boolean } = {}): Promise<Actions> {
    await this.use(config, options);
    const actions = await this.plan();
    if (typeof actions === 'string') throw new Error(actions);
    const { status, output } = await this.apply();
    if (status !== 0) throw new Error(output);
    expect(await this.plan()).toEqual({});
    return actions;
  }

  remove(): void {
    rmSync(this.#project, { recursive: true, force: true });
  }
}
