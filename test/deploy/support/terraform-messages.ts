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
export function actionsIn(output: string): Actions {
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
export function hasBegun(output: string): boolean {
  return messagesIn(output).some(({ type }) => type === 'apply_start');
}

/** The errors, as Terraform prints them for people: what, where, the line of the configuration, and why. */
export function errorsIn(output: string): string {
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
