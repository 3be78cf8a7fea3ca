/** Where the requests of a client go, known once one was made: whatever the environment and the profiles say. */
export class EndpointNote {
  /** @default none was made */
  endpoint: URL | undefined;

  /** For `middlewareStack.add`, with {@link NOTE_STEP}. */
  readonly middleware =
    <Args extends { request?: unknown }, Result>(next: (args: Args) => Result) =>
    (args: Args): Result => {
      const { protocol, hostname, port } = args.request as {
        protocol: string;
        hostname: string;
        port?: number;
      };
      this.endpoint = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`);
      return next(args);
    };
}

export const NOTE_STEP = { step: 'build', name: 'noteEndpoint' } as const;
