import { freePort } from '../../local/ports.ts';

/** The flags of `precise-ttl local` that name a port. */
export const PORT_FLAGS = ['--dynamodb-port', '--sfn-port'] as const;

export type PortFlag = (typeof PORT_FLAGS)[number];

/** A free port for each of them, and the arguments that say so. */
export async function freeLocalPorts(
  taken: Partial<Record<PortFlag, number>> = {},
): Promise<{ readonly ports: Readonly<Record<PortFlag, number>>; readonly args: string[] }> {
  const chosen = await Promise.all(
    PORT_FLAGS.map(async flag => [flag, taken[flag] ?? (await freePort())] as const),
  );
  const ports = Object.fromEntries(chosen) as Record<PortFlag, number>;
  return { ports, args: chosen.flatMap(([flag, port]) => [flag, String(port)]) };
}
