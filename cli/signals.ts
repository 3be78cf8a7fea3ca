/** 128 and the number of the signal, as shells report it. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Aborts at the first SIGINT or SIGTERM, so that a command can stop cleanly. The second one ends the process at once;
 * DynamoDB Local goes with it.
 *
 * @returns the signal to work under, and the exit status once it was aborted
 */
export function stopOnSignal(): { readonly signal: AbortSignal; readonly status: () => number } {
  const controller = new AbortController();
  let status: number = SIGNAL_STATUS.SIGINT;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(status);
      status = SIGNAL_STATUS[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, status: () => status };
}
