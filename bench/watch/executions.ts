import type { LocalCloud } from '../../local/cloud.ts';

/** Names of the deployment's state machines in the synthesized stack. */
export interface SweepMachines {
  /** State machine that the schedules start. */
  readonly tick: string;
  /** State machine of replays. */
  readonly replay: string;
}

export function machinesOf({
  synthesized: { stateMachines },
}: Pick<LocalCloud, 'synthesized'>): SweepMachines {
  const tick = stateMachines.find(({ type }) => type === 'EXPRESS');
  const replay = stateMachines.find(({ name }) => tick && name === `${tick.name}-replay`);
  if (tick === undefined || replay === undefined) {
    const names = stateMachines.map(({ name }) => name).join(', ') || 'none';
    throw new Error(
      `expected the state machines of a tick and of replays in what was synthesized, got ${names}`,
    );
  }
  return { tick: tick.name, replay: replay.name };
}
