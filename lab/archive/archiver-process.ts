/** The event source mapping and ArchiveExpiries in a process of their own, to be killed. */
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import type { RecordedTimes } from './timed-source.ts';
import { TimedSource } from './timed-source.ts';

export interface ArchiverStart {
  readonly kind: 'start';
  readonly stack: LocalCloudOptions['stack'];
  /** `AWS_ENDPOINT_URL_…` of what is running. */
  readonly environment: Readonly<Record<string, string>>;
  readonly checkpointFile: string;
  /** How far the functions' clock is ahead, milliseconds. */
  readonly skewMs: number;
}

export type ToArchiver =
  | ArchiverStart
  | { readonly kind: 'times'; readonly id: number; readonly times: readonly number[] };

export type FromArchiver =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly shardId: string;
      readonly sequenceNumbers: readonly string[];
    }
  | { readonly kind: 'invoking'; readonly records: number }
  | { readonly kind: 'invoked' }
  | { readonly kind: 'problem'; readonly problem: string };

const asked = new Map<number, (times: readonly number[]) => void>();
let questions = 0;

const tell = (message: FromArchiver): void => {
  process.send?.(message);
};

const ask: RecordedTimes = async (shardId, sequenceNumbers) => {
  if (sequenceNumbers.length === 0) return [];
  const id = questions++;
  const answer = new Promise<readonly number[]>(resolve => asked.set(id, resolve));
  tell({ kind: 'ask', id, shardId, sequenceNumbers });
  return answer;
};

process.on('message', (message: ToArchiver) => {
  if (message.kind === 'start') void start(message);
  else {
    asked.get(message.id)?.(message.times);
    asked.delete(message.id);
  }
});

// Ctrl-C in a terminal goes to every process of its group; ours is stopped by its parent.
process.on('SIGINT', () => {});
// The parent is gone: nobody would ever stop us.
process.on('disconnect', () => process.exit());

async function start({ stack, environment, checkpointFile, skewMs }: ArchiverStart): Promise<void> {
  try {
    await LocalCloud.start({
      stack,
      environment,
      skewMs,
      schedules: false,
      mappings: {
        checkpointFile,
        wrapSource: source => new TimedSource(source, ask),
        onDiscarded: ({ reason, records }) =>
          tell({ kind: 'problem', problem: `${records.length} records were given up: ${reason}` }),
        onError: error => tell({ kind: 'problem', problem: `the stream: ${error}` }),
      },
      functions: {
        async wrap({ payload }, next) {
          tell({ kind: 'invoking', records: (payload as { Records: unknown[] }).Records.length });
          const result = await next();
          tell({ kind: 'invoked' });
          return result;
        },
      },
    });
  } catch (error) {
    tell({ kind: 'problem', problem: `the archiver could not be started: ${error}` });
  }
}
