import type { ChooseCallFault } from 'aws-on-loopback/call-fault';
import { type LocalS3, startS3 } from 'aws-on-loopback/s3/start-s3';
import { createS3, putInto } from '../../functions/archive/s3.ts';
import type { CopyArchive } from '../../functions/delete-chunk/archive-first.ts';
import { linesOf } from '../../lab/ledger/copies.ts';

const BUCKET = 'archive';

export interface LocalCopyArchive {
  readonly archive: CopyArchive;
  /** What happens to the next puts; a test changes it. */
  fault: ChooseCallFault | undefined;
  /** Keys of the objects whose put S3 has answered, in this order. */
  readonly answered: string[];
  /** The objects under this folder of the table, by key. */
  objects(folder?: string): Promise<Map<string, Buffer>>;
  /** All lines of these objects. */
  lines<Line>(folder: string): Promise<Line[]>;
}

/** An S3 on this machine for the tests of the calling file, empty in each test, and the client that is deployed. */
export function useCopyArchive(): LocalCopyArchive {
  let s3: LocalS3;
  const answered: string[] = [];
  const local: LocalCopyArchive = {
    answered,
    fault: undefined,
    get archive(): CopyArchive {
      const client = createS3(
        { maxAttempts: 1, requestTimeoutMs: 5_000 },
        {
          endpoint: s3.endpoint,
          region: 'us-east-1',
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        },
      );
      const put = putInto(BUCKET, client);
      return {
        settings: {
          archiveBucket: BUCKET,
          archivePrefix: 'law/',
          archiveFormat: 'dynamodb-json',
          archiveRemovals: 'expiries',
        },
        put: async (object, options) => {
          await put(object, options);
          answered.push(object.key);
        },
      };
    },
    objects: async (folder = '') => {
      const keys = (await s3.keys(BUCKET)).filter(key => key.includes(folder));
      return new Map(
        await Promise.all(keys.map(async key => [key, (await s3.read(BUCKET, key)) as Buffer] as const)),
      );
    },
    lines: async <Line>(folder: string) =>
      [...(await local.objects(folder)).values()].flatMap(body => linesOf<Line>(body)),
  };
  beforeEach(async () => {
    local.fault = undefined;
    answered.length = 0;
    s3 = await startS3({ buckets: [BUCKET], choose: call => local.fault?.(call) });
  });
  afterEach(() => s3.stop());
  return local;
}
