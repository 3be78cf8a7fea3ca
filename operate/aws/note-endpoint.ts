type Middleware = <Args extends { request?: unknown }, Result>(
  next: (args: Args) => Result,
) => (args: Args) => Result;

/** The part of every SDK client that is needed here. */
interface NotedClient {
  readonly middlewareStack: {
    add(middleware: Middleware, options: { readonly step: 'build'; readonly name: string }): void;
  };
}

/**
 * Notes the host that gets a client's requests, whatever the environment and the profiles say.
 *
 * @returns the host; undefined before the first request
 */
export function noteEndpoint(client: NotedClient): () => URL | undefined {
  let endpoint: URL | undefined;
  const note: Middleware = next => args => {
    const { protocol, hostname, port } = args.request as {
      protocol: string;
      hostname: string;
      port?: number;
    };
    endpoint = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`);
    return next(args);
  };
  client.middlewareStack.add(note, { step: 'build', name: 'noteEndpoint' });
  return () => endpoint;
}
