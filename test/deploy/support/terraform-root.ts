import { type ExecFileOptions, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { EmulatedAws } from './proof.ts';

const run = promisify(execFile);

/** Runs a program to its end, which gets no input. */
export function ended(program: string, args: readonly string[], options: ExecFileOptions): Promise<Ended> {
  const running = run(program, args, { maxBuffer: 2 ** 28, ...options });
  running.child.stdin?.end();
  return running.then(
    ({ stdout, stderr }) => ({ status: 0, stdout: String(stdout), output: `${stdout}${stderr}` }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, output: stdout + stderr }),
  );
}

/** What a plan would do, or an apply did: addresses by action, e.g. `{ delete: [...], replace: [...], forget: [...] }`. */
export type Actions = Readonly<Record<string, readonly string[]>>;

/** What is read of the lines that Terraform prints with `-json`. */
interface Message {
  readonly type: string;
  readonly change?: { readonly action: string; readonly resource: { readonly addr: string } };
  readonly diagnostic?: {
    readonly severity: string;
    readonly summary: string;
    readonly detail: string;
    readonly address?: string;
  };
}

interface Ended {
  readonly status: number;
  readonly stdout: string;
  /** With what it wrote to stderr. */
  readonly output: string;
}

type Environment = Readonly<Record<string, string>>;

/** These change nothing that is there. */
const NOTHING = ['noop', 'read', 'move', 'import'];

function messagesIn(output: string): Message[] {
  return output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

function actionsIn(output: string): Actions {
  const actions: Record<string, string[]> = {};
  for (const { type, change } of messagesIn(output)) {
    if (type !== 'planned_change' || change === undefined || NOTHING.includes(change.action)) continue;
    // Terraform's own word in these lines is another one than in its plans.
    const action = change.action === 'remove' ? 'forget' : change.action;
    actions[action] ??= [];
    actions[action].push(change.resource.addr);
  }
  return Object.fromEntries(Object.entries(actions).map(([action, addresses]) => [action, addresses.sort()]));
}

/** The errors in one line: where, what, and why. */
function errorsIn(output: string): string {
  const errors = messagesIn(output).flatMap(({ diagnostic }) =>
    diagnostic?.severity === 'error' ? diagnostic : [],
  );
  return errors
    .map(({ summary, address, detail }) => `${address}: ${summary}. ${detail}`)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

/** Of these, a provider that stays has what it was started with. */
const OF_PROVIDER = /^(STUB_)?AWS_/;

/** A folder that Terraform runs in. */
export class TerraformRoot {
  readonly folder: string;
  readonly #aws: EmulatedAws;

  constructor(folder: string, aws: EmulatedAws) {
    this.folder = folder;
    this.#aws = aws;
  }

  async terraform(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    const takesItsOwn =
      args[0] === 'init' || Object.keys(environment).some(variable => OF_PROVIDER.test(variable));
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...this.#aws.environment,
      ...(!takesItsOwn && (await this.#aws.attachedIn(this.folder))),
      ...environment,
    };
    return ended('terraform', [...args, '-no-color'], { cwd: this.folder, env });
  }

  /** As {@link terraform}, of a command that must succeed. */
  async succeed(args: readonly string[]): Promise<string> {
    const { status, output } = await this.terraform(args);
    if (status !== 0) throw new Error(output);
    return output;
  }

  /** @returns what the plan would do; or what it was refused for, in one line */
  async plan(environment: Environment = {}): Promise<Actions | string> {
    const { status, output } = await this.terraform(
      ['plan', '-out=plan', '-json', '-input=false'],
      environment,
    );
    return status === 0 ? actionsIn(output) : errorsIn(output);
  }

  /** Applies the last plan. */
  apply(environment: Environment = {}): Promise<Ended> {
    return this.terraform(['apply', '-input=false', 'plan'], environment);
  }

  /**
   * Plans and applies what is in the folder, in one go, and plans it again.
   * @returns what was done
   */
  async planAndApply(environment: Environment = {}): Promise<Actions> {
    const args = ['apply', '-auto-approve', '-json', '-input=false'];
    const { status, output } = await this.terraform(args, environment);
    if (status !== 0) throw new Error(errorsIn(output));
    expect(await this.plan(environment)).toEqual({});
    return actionsIn(output);
  }
}
