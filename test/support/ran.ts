import type { Clients } from '../../cli/clients.ts';
import { type AnyCommand, type Given, tablesOf } from '../../cli/command.ts';
import { COMMAND_ACTIONS } from '../../cli/iam-actions.ts';
import type { DeploymentConfig } from '../../stacks/config/config.ts';

interface Surroundings {
  readonly config: DeploymentConfig;
  /** Those that the command needs. */
  readonly clients: Partial<Clients>;
  /** @default the real clock */
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

/** The services in IAM of the clients that have other names. */
const SERVICE: Readonly<Record<string, string>> = { documents: 'dynamodb', sfn: 'states' };
const OF_DOCUMENTS = /^(Get|Put|Update|Delete)$/;

/** What the commands of a test file have called, as actions in IAM. */
const called = new Map<AnyCommand, Set<string>>();

function noting(command: AnyCommand, clients: Partial<Clients>): Clients {
  const actions = called.get(command) ?? new Set();
  called.set(command, actions);
  const noted = Object.entries(clients).map(([name, client]) => {
    const send = (sent: object, ...more: unknown[]) => {
      const operation = sent.constructor.name.replace(/Command$/, '').replace(OF_DOCUMENTS, '$1Item');
      actions.add(`${SERVICE[name] ?? name.toLowerCase()}:${operation}`);
      return (client as { send(...args: unknown[]): unknown }).send(sent, ...more);
    };
    const get = (target: object, field: string) => (field === 'send' ? send : Reflect.get(target, field));
    return [name, new Proxy(client as object, { get })];
  });
  return Object.fromEntries(noted) as unknown as Clients;
}

/** The last test of a file: what these commands have called is what their helps say that they need in IAM, but for what only AWS is asked. */
export function testListedActions(
  commands: Partial<Record<keyof typeof COMMAND_ACTIONS, AnyCommand>>,
  ...onlyOnAws: readonly string[]
): void {
  test.each(Object.entries(commands))(
    '%s calls all that is listed as its actions in IAM, and nothing else',
    (name, command) => {
      const listed = COMMAND_ACTIONS[name as keyof typeof COMMAND_ACTIONS].map(({ action }) => action);
      const expected = new Set(listed.filter(action => !onlyOnAws.includes(action)));
      expect([...(called.get(command) ?? [])].sort()).toEqual([...expected].sort());
    },
  );
}

/**
 * Runs a command with clients of the test's own, where nobody is asked. @param args its flags, without `--config`
 * @returns as `text` what was shown before the change, and what was printed in the end
 * @throws the error that ended a change, with what was told until then as `told`
 */
export async function ran(command: AnyCommand, args: readonly string[], around: Surroundings) {
  const { config, clients, now = Date.now, signal = new AbortController().signal } = around;
  const flags = command.parse(args) as Given['flags'];
  const printed: string[] = [];
  const given: Given = {
    ...{ flags, config, clients: noting(command, clients), now, signal, stopped: signal },
    tables: tablesOf(config, flags['table'] as string | undefined),
    leftMs: () => 13_000,
    print: text => void printed.push(text),
    show: () => undefined,
    passed: [],
  };
  const first = await command.run(given);
  const result = 'apply' in first ? await first.apply() : first;
  if ('apply' in first && first.text !== undefined) printed.unshift(first.text);
  if (result.text !== undefined) printed.push(result.text);
  if (result.error !== undefined) throw Object.assign(result.error as Error, { told: printed.join('\n') });
  const question = 'apply' in first ? first.question : undefined;
  return { text: printed.join('\n'), data: result.data ?? {}, exit: result.exit, question };
}
