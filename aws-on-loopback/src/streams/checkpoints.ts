import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject } from '../api-input.ts';
import { CheckpointError } from '../errors.ts';

/** Position up to which a shard was read and its records were handed over. */
export interface ShardCheckpoint {
  /** Sequence number of the last record that is done; undefined when none is. */
  readonly after?: string;
  /** All records of the closed shard are done. */
  readonly isEnd?: true;
  /** Times at which records that are not done were first read; each entry covers all records up to a sequence number, in order. */
  readonly reads?: readonly FirstRead[];
}

export interface FirstRead {
  readonly upTo: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The checkpoints of one event source mapping. */
export interface Checkpoints {
  get(shardId: string): ShardCheckpoint | undefined;
  /** Returns when the checkpoint is stored. */
  save(shardId: string, checkpoint: ShardCheckpoint): void;
}

/** The checkpoints of all mappings. */
export interface CheckpointStore {
  /**
   * @param functionArn what the records are handed to
   * @param streamArn where they are from. A table that was made anew has another stream, which is read from its beginning.
   */
  of(functionArn: string, streamArn: string): Checkpoints;
}

/** The checkpoints of all mappings, which end with the process. */
export class CheckpointsInMemory implements CheckpointStore {
  readonly #mappings = new Map<string, Checkpoints>();

  of(functionArn: string, streamArn: string): Checkpoints {
    const name = `${functionArn} ${streamArn}`;
    const checkpoints = this.#mappings.get(name) ?? checkpointsInMemory();
    this.#mappings.set(name, checkpoints);
    return checkpoints;
  }
}

/** Checkpoints that end with the process. */
export function checkpointsInMemory(): Checkpoints {
  const shards = new Map<string, ShardCheckpoint>();
  return { get: id => shards.get(id), save: (id, checkpoint) => shards.set(id, checkpoint) };
}

type Mappings = Record<string, Record<string, ShardCheckpoint>>;

interface Content {
  readonly beganAtMs: number;
  readonly mappings: Mappings;
}

/** Stores the checkpoints of all mappings of a process in one file, so that a new process continues there after a kill. */
export class CheckpointFile implements CheckpointStore {
  /** Time at which the first process started, epoch milliseconds. */
  readonly beganAtMs: number;
  readonly #file: string;
  readonly #mappings: Mappings;

  /**
   * @param beginAtMs of a process that begins; one that only looks at the file writes none
   * @throws {CheckpointError} for a file that is none of these
   */
  constructor(file: string, beginAtMs?: number) {
    this.#file = file;
    const content = readContent(file);
    this.beganAtMs = content?.beganAtMs ?? beginAtMs ?? 0;
    this.#mappings = content?.mappings ?? {};
    // Writes immediately, so the start time is stored even when the process is killed before its first checkpoint.
    if (content === undefined && beginAtMs !== undefined) this.#write();
  }

  of(functionArn: string, streamArn: string): Checkpoints {
    const name = `${functionArn} ${streamArn}`;
    return {
      get: id => this.#mappings[name]?.[id],
      save: (id, checkpoint) => {
        this.#mappings[name] = { ...this.#mappings[name], [id]: checkpoint };
        this.#write();
      },
    };
  }

  /** A process that is killed during the write leaves the old file intact. */
  #write(): void {
    const draft = `${this.#file}.draft`;
    mkdirSync(dirname(this.#file), { recursive: true });
    const content: Content = { beganAtMs: this.beganAtMs, mappings: this.#mappings };
    writeFileSync(draft, JSON.stringify(content));
    renameSync(draft, this.#file);
  }
}

function readContent(file: string): Content | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CheckpointError(`${file}: can't be read (${error}); name another file for the checkpoints`);
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (isContent(parsed)) return parsed;
  } catch {}
  throw new CheckpointError(
    `${file}: expected checkpoints, as the local cloud writes them, got something else; name another file, or delete it to read the ` +
      'streams from their beginning',
  );
}

function isContent(value: unknown): value is Content {
  if (!isObject(value) || typeof value['beganAtMs'] !== 'number') return false;
  const { mappings } = value;
  return isObject(mappings) && Object.values(mappings).every(isObject);
}
