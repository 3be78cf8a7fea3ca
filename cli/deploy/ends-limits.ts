import { loadConfigFile } from '../../stacks/config-file.ts';
import { FlagError } from '../flags.ts';
import { print, printError } from '../print.ts';
import { type Connect, describeEnded, readByHand, removeOutdated } from './by-hand.ts';

/** What is needed to look for limits that were set by hand. */
export interface Limits {
  /** As for `loadConfigFile`. */
  readonly config: string | undefined;
  /** `--end-limits`: they may end without a question. */
  readonly mayEnd: boolean;
}

/**
 * Before a plan: looks for what was set by hand, and takes out start dates of pauses that have ended.
 *
 * @param unasked nobody will be asked whether to deploy
 * @returns what to say with the question; undefined when no limit would end
 * @throws {FlagError} when a limit would end, and nobody is asked
 */
export async function endsLimits({ config, mayEnd }: Limits, unasked: boolean): Promise<string | undefined> {
  const ended = await lookAround(config, async (loaded, connect, byHand) => {
    const removed = await removeOutdated(loaded, connect, byHand, Date.now());
    if (removed > 0) printError('Took the start date of a pause that has ended out of the schedules.');
  });
  if (ended === '') return undefined;
  if (mayEnd) {
    printError(ended);
    return undefined;
  }
  if (!unasked) return ended;
  throw new FlagError(
    `--end-limits: expected it where nobody is asked, got none. ${ended} Add it if that is meant; or put the limit into the ` +
      'configuration (maxDeletesPerSecond) first.',
  );
}

/** After a plan: says which limits it would end. */
export async function showLimits({ config }: Limits): Promise<void> {
  const ended = await lookAround(config);
  if (ended !== '') print(`\n${ended}`);
}

type Use = (
  config: unknown,
  connect: Connect,
  byHand: Awaited<ReturnType<typeof readByHand>>,
) => Promise<void>;

/**
 * Terraform has its own way to AWS, which is not always the SDK's: what cannot be looked at keeps nobody from deploying.
 *
 * @returns what a deployment would end
 */
async function lookAround(configFile: string | undefined, use?: Use): Promise<string> {
  const config = await loadConfigFile(configFile);
  const { eventBridgeSchedulerClient } = await import('../aws/scheduler.ts');
  const connect: Connect = region => eventBridgeSchedulerClient(region, process.env).scheduler;
  let ended = '';
  try {
    const byHand = await readByHand(config, connect, Date.now());
    ended = describeEnded(byHand);
    await use?.(config, connect, byHand);
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
    printError(`Could not look for what was set by hand on the schedules (${why}).`);
  }
  return ended;
}
