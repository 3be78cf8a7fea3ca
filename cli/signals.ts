/** Exit statuses: 128 plus the number of the signal, as in shells. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Aborts at the first SIGINT or SIGTERM, so that a command can stop cleanly. A second signal ends the process at once, and
 * DynamoDB Local with it.
 *
 * @returns the signal to work under, the exit status after an abort, and a function that removes the handlers
 */
export function stopOnSignal(): {
  readonly signal: AbortSignal;
  readonly status: () => number;
  readonly forget: () => void;
} {
  const controller = new AbortController();
  let status: number = SIGNAL_STATUS.SIGINT;
  const stop = (name: keyof typeof SIGNAL_STATUS) => {
    if (controller.signal.aborted) process.exit(status);
    status = SIGNAL_STATUS[name];
    controller.abort();
  };
  const names = Object.keys(SIGNAL_STATUS) as (keyof typeof SIGNAL_STATUS)[];
  for (const name of names) process.on(name, stop);
  const forget = () => {
    for (const name of names) process.off(name, stop);
  };
  return { signal: controller.signal, status: () => status, forget };
}
