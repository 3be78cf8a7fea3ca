import { isBrokenTransport } from './broken-transport.ts';
import type { EmulatedAws } from './proof.ts';
import { run } from './run.ts';

/** What a plan would do: addresses by action, e.g. `{ delete: [...], 'delete/create': [...], forget: [...] }`. */
export type Actions = Readonly<Record<string, readonly string[]>>;

export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** How often a plan is made once more when the connection to the emulator broke: see `broken-transport.ts`. */
const MAX_PLANS_AGAIN = 3;

/** Exit statuses of `terraform plan -detailed-exitcode`. */
const UNCHANGED = 0;
const FAILED = 1;
const CHANGED = 2;

/** A folder that Terraform runs in. */
export class TerraformRoot {
  readonly folder: string;
  readonly #aws: EmulatedAws;

  constructor(folder: string, aws: EmulatedAws) {
    this.folder = folder;
    this.#aws = aws;
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
    const options = { cwd: this.folder, env, maxBuffer: 2 ** 26 };
    return run(process.env['TERRAFORM_BINARY_NAME'] ?? 'terraform', [...args, '-no-color'], options).then(
      ({ stdout, stderr }) => ({ status: 0, output: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        status: error.code,
        output: error.stdout + error.stderr,
      }),
    );
  }

  /** As {@link terraform}, of a command that must succeed. */
  async succeed(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { status, output } = await this.terraform(args, environment);
    if (status !== 0) throw new Error(output);
    return output;
  }

  /** @returns what the plan would do; or what it was refused for, in one line */
  async plan(environment: Readonly<Record<string, string>> = {}): Promise<Actions | string> {
    const { status, output } = await this.#planned(environment);
    if (status === UNCHANGED) return {};
    if (status !== CHANGED) return output.slice(output.indexOf('Error:')).replaceAll(/[\s│╷╵]+/g, ' ');
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

  /** A plan changes nothing, so that it can be made as often as it takes. */
  async #planned(environment: Readonly<Record<string, string>>): Promise<Ended> {
    for (let again = 0; ; again += 1) {
      const ended = await this.terraform(
        ['plan', '-input=false', '-detailed-exitcode', '-out=plan'],
        environment,
      );
      if (ended.status !== FAILED || again === MAX_PLANS_AGAIN || !isBrokenTransport(ended.output))
        return ended;
    }
  }

  /** Applies the last plan. */
  async apply(environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.terraform(['apply', '-input=false', 'plan'], environment);
  }

  /**
   * Plans and applies what is in the folder, and plans it again.
   * @returns what was done
   */
  async deploy(environment: Readonly<Record<string, string>> = {}): Promise<Actions> {
    const actions = await this.plan(environment);
    if (typeof actions === 'string') throw new Error(actions);
    let applied = await this.apply(environment);
    if (
      applied.status !== 0 &&
      isBrokenTransport(applied.output) &&
      (await this.#plansTheRest(actions, environment))
    ) {
      applied = await this.apply(environment);
    }
    if (applied.status !== 0) throw new Error(applied.output);
    expect(await this.plan(environment)).toEqual({});
    return actions;
  }

  /**
   * Plans what an apply has left. What was made although its answer was lost is not in the state: it is planned once more, and
   * the emulator refuses it. What is in the state half made would be replaced, which nobody has planned: that is no rest.
   */
  async #plansTheRest(actions: Actions, environment: Readonly<Record<string, string>>): Promise<boolean> {
    const rest = await this.plan(environment);
    return (
      typeof rest !== 'string' &&
      Object.entries(rest).every(([action, addresses]) =>
        addresses.every(address => actions[action]?.includes(address)),
      )
    );
  }
}
