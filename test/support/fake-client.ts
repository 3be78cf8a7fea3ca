/** The middlewares of a client of the SDK, as far as a fake needs them. */
interface Faked {
  readonly middlewareStack: { add(step: unknown, options: object): void };
}
// biome-ignore lint/suspicious/noExplicitAny: each command has an input of its own
export type Answers = Readonly<Record<string, (input: any) => unknown>>;

/** A real client whose calls are answered in place. @param answers by command, without "Command"; what they throw, the call throws */
export function fakeClient<Client>(
  Client: new (config: { region: string }) => Client,
  answers: Answers,
): Client {
  const client = new Client({ region: 'us-east-1' });
  const answer =
    (_next: unknown, { commandName = '' }: { readonly commandName?: string }) =>
    async ({ input }: { readonly input: unknown }) => {
      const own = answers[commandName.replace(/Command$/, '')];
      if (own === undefined) throw new TypeError(`${commandName}: expected no such call`);
      return { output: { $metadata: {}, ...((await own(input)) as object) } };
    };
  (client as Faked).middlewareStack.add(answer, { step: 'initialize', priority: 'high' });
  return client;
}

/** An error as the SDK throws it. */
export const awsError = (name: string, message = 'as the test wants it'): Error =>
  Object.assign(new Error(message), { name, $metadata: {} });
