import { loadConfigFile } from '../../stacks/config-file.ts';
import { FlagError } from '../flags.ts';
import { type ByHand, describeEnded, readByHand, removeOutdated } from './limits.ts';

/** What is needed to look for limits that were set by hand. */
export interface Limits {
  /** As for `loadConfigFile`. */
  readonly config: string | undefined;
  /** `--end-limits`: they may end without a question. */
  readonly mayEnd: boolean;
}

export function limitsOf(config: string | undefined, mayEnd: boolean): Limits {
  return { config, mayEnd };
}

/**
 * Before a plan: looks for what was set by hand, and takes out start dates of pauses that have ended.
 *
 * @param unasked nobody will be asked whether to deploy
 * @returns what to say with the question; undefined when no limit would end
 * @throws {FlagError} when a limit would end, and nobody is asked
 */
export async function endsLimits({ config, mayEnd }: Limits, unasked: boolean): Promise<string | undefined> {
  const byHand = await lookAround(config);
  if (byHand.some(({ outdated }) => outdated.length > 0)) {
    const connect = await connection();
    const { region } = (await loadConfigFile(config)) as { readonly region: string };
    await removeOutdated(connect(region), byHand, Date.now());
    console.error('Took the start date of a pause that has ended out of the schedules.');
  }
  const ended = describeEnded(byHand);
  if (ended === '') return undefined;
  if (mayEnd) {
    console.error(ended);
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
  const ended = describeEnded(await lookAround(config));
  if (ended !== '') console.log(`\n${ended}`);
}

/** Terraform has its own way to AWS, which is not always the SDK's: what cannot be looked at keeps nobody from deploying. */
async function lookAround(configFile: string | undefined): Promise<readonly ByHand[]> {
  const connect = await connection();
  try {
    return await readByHand(await loadConfigFile(configFile), connect, Date.now());
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
    console.error(`Could not look for limits that were set by hand, which a deployment ends (${why}).`);
    return [];
  }
}

async function connection() {
  const { eventBridgeSchedulerClient } = await import('../aws/scheduler.ts');
  return (region: string) => eventBridgeSchedulerClient(region, process.env).scheduler;
}
