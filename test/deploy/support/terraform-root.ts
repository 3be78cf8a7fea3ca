import type { EmulatedAws } from './proof.ts';
import { run } from './run.ts';

/**
 * How the SDK says that the connection broke before an answer was there, or in the middle of one. "use of closed network
 * connection" comes from the SDK for Go itself: now and then it closes a connection that it reads from. It knows the error and
 * tries again (aws-sdk-go-v2, pull request 2949), as the real provider does, up to 25 times, and the stub provider up to 5.
 */
const BROKEN =
  /(deserialization failed|request send failed).*(use of closed network connection|connection reset by peer|\bEOF\b)/;

/** Whether Terraform failed for that and for nothing else: another run may then succeed. */
function isBrokenTransport(output: string): boolean {
  // Terraform breaks its messages into lines, within a frame.
  const [, ...errors] = output.replaceAll(/[\s│╷╵]+/g, ' ').split('Error: ');
  return errors.length > 0 && errors.every(error => BROKEN.test(error));
}

/** What a plan would do, or an apply did: addresses by action, e.g. `{ delete: [...], replace: [...], forget: [...] }`. */
export type Actions = Readonly<Record<string, readonly string[]>>;

/** What is read of the lines that Terraform prints with `-json`. */
interface Message {
  readonly type: string;
  readonly change?: { readonly action: string; readonly resource: { readonly addr: string } };
  readonly diagnostic?: Diagnostic;
}

/** An error or a warning. */
export interface Diagnostic {
  readonly severity: string;
  readonly summary: string;
  readonly detail: string;
  readonly address?: string;
  readonly range?: { readonly filename: string };
  readonly snippet?: { readonly code: string };
}

/** These change nothing that is there. */
const NOTHING = ['noop', 'read', 'move', 'import'];

function messagesIn(output: string): Message[] {
  return output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

/** What was planned. */
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

/** Whether an apply has begun to change something. */
function hasBegun(output: string): boolean {
  return messagesIn(output).some(({ type }) => type === 'apply_start');
}

/** The errors, as Terraform prints them for people: what, where, the line of the configuration, and why. */
function errorsIn(output: string): string {
  const errors = messagesIn(output).flatMap(({ diagnostic }) =>
    diagnostic?.severity === 'error' ? diagnostic : [],
  );
  return errors
    .map(({ summary, address, range, snippet, detail }) =>
      [
        `Error: ${summary}`,
        address && `with ${address},`,
        range && `on ${range.filename}`,
        snippet?.code,
        detail,
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n');
}

export interface Ended {
  readonly status: number;
  readonly output: string;
}

type Environment = Readonly<Record<string, string>>;

/** How often a plan is made once more when the connection to the emulator broke. */
const MAX_PLANS_AGAIN = 3;

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
  async succeed(args: readonly string[], environment: Environment = {}): Promise<string> {
    const { status, output } = await this.terraform(args, environment);
    if (status !== 0) throw new Error(output);
    return output;
  }

  /** @returns what the plan would do; or what it was refused for, in one line */
  async plan(environment: Environment = {}): Promise<Actions | string> {
    const { status, output } = await this.#inJson(['plan', '-out=plan'], environment);
    return status === 0 ? actionsIn(output) : errorsIn(output).replaceAll(/\s+/g, ' ');
  }

  /** Applies the last plan. */
  async apply(environment: Environment = {}): Promise<Ended> {
    return this.terraform(['apply', '-input=false', 'plan'], environment);
  }

  /** Plans, or applies. As long as nothing is changed that can be done again, as often as it takes. */
  async #inJson(args: readonly string[], environment: Environment): Promise<Ended> {
    for (let again = 0; ; again += 1) {
      const ended = await this.terraform([...args, '-json', '-input=false'], environment);
      const isFinal = ended.status === 0 || again === MAX_PLANS_AGAIN || hasBegun(ended.output);
      if (isFinal || !isBrokenTransport(errorsIn(ended.output))) return ended;
    }
  }

  /**
   * Plans and applies what is in the folder, in one go, and plans it again.
   * @returns what was done
   */
  async deploy(environment: Environment = {}): Promise<Actions> {
    const { status, output } = await this.#inJson(['apply', '-auto-approve'], environment);
    const actions = actionsIn(output);
    if (status !== 0) await this.#applyTheRest(actions, errorsIn(output), environment);
    expect(await this.plan(environment)).toEqual({});
    return actions;
  }

  /**
   * Applies what an apply has left when the connection broke. What was made although its answer was lost is not in the state: it is planned
   * once more, and the emulator refuses it. What is in the state half made would be replaced, which nobody has planned: that is no rest.
   */
  async #applyTheRest(actions: Actions, errors: string, environment: Environment): Promise<void> {
    if (!isBrokenTransport(errors)) throw new Error(errors);
    const rest = await this.plan(environment);
    const isRest =
      typeof rest !== 'string' &&
      Object.entries(rest).every(([action, addresses]) =>
        addresses.every(address => actions[action]?.includes(address)),
      );
    if (!isRest) throw new Error(errors);
    const applied = await this.apply(environment);
    if (applied.status !== 0) throw new Error(applied.output);
  }
}
