import {
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteBucketPolicyCommand,
  GetBucketPolicyCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { type EmulatedAws, emulatedClient } from './proof.ts';

/** The kinds of what no edit may take away. */
export type HoldingName = 'table' | 'journal' | 'bucket';

/** What something holds, in a form that can be compared; undefined when it holds nothing. */
type Held = string | undefined;

/** How all things of a kind in an account are found, filled, and looked at. */
interface Kind {
  /** Their names. */
  list(): Promise<readonly string[]>;
  look(name: string): Promise<Held>;
  /** Puts something in. */
  fill(name: string): Promise<void>;
}

/** Something that holds something. */
export interface HeldThing {
  readonly kind: HoldingName;
  readonly name: string;
  readonly held: string;
}

/** All that is not there any more, or holds something else. */
export function lost(before: readonly HeldThing[], after: readonly HeldThing[]): HeldThing[] {
  return before.filter(
    one => !after.some(({ kind, name, held }) => kind === one.kind && name === one.name && held === one.held),
  );
}

/** Everything in an emulated account that holds something, whoever made it, and whether Terraform still knows it or not. */
export class HeldThings {
  readonly #kinds: Readonly<Record<HoldingName, Kind>>;
  readonly #clients: readonly { destroy(): void }[];

  constructor(aws: EmulatedAws) {
    const config = {
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };
    const dynamoDb = emulatedClient(aws);
    const s3 = new S3Client({ ...config, forcePathStyle: true });
    this.#clients = [dynamoDb, s3];
    this.#kinds = {
      table: tablesOf(dynamoDb, name => !isJournal(name), KEY),
      journal: tablesOf(dynamoDb, isJournal, { ...KEY, at: { S: KEPT } }),
      bucket: bucketsOf(s3),
    };
  }

  /** Puts something into all that is empty. @returns everything that holds something then */
  async fill(): Promise<HeldThing[]> {
    for (const { list, look, fill } of Object.values(this.#kinds)) {
      for (const name of await list()) if ((await look(name)) === undefined) await fill(name);
    }
    return this.inventory();
  }

  async inventory(): Promise<HeldThing[]> {
    const inventory: HeldThing[] = [];
    for (const [kind, { list, look }] of Object.entries(this.#kinds) as [HoldingName, Kind][]) {
      for (const name of await list()) {
        const held = await look(name);
        if (held !== undefined) inventory.push({ kind, name, held });
      }
    }
    return inventory;
  }

  destroy(): void {
    for (const client of this.#clients) client.destroy();
  }
}

const KEPT = 'kept';
const KEY = { id: { S: KEPT } };

const tableNames = async (dynamoDb: DynamoDBClient) =>
  (await dynamoDb.send(new ListTablesCommand({}))).TableNames ?? [];

const isJournal = (name: string) => name.endsWith('-journal');

/** @param Key that each of these has */
function tablesOf(
  dynamoDb: DynamoDBClient,
  isOne: (name: string) => boolean,
  Key: Readonly<Record<string, { readonly S: string }>>,
): Kind {
  return {
    list: async () => (await tableNames(dynamoDb)).filter(isOne),
    async look(TableName) {
      const { Item } = await dynamoDb.send(new GetItemCommand({ TableName, Key }));
      return Item && JSON.stringify(Item);
    },
    async fill(TableName) {
      await dynamoDb.send(new PutItemCommand({ TableName, Item: Key }));
    },
  };
}

function bucketsOf(s3: S3Client): Kind {
  return {
    list: async () =>
      ((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name = '' }) => Name),
    look: async Bucket => (await s3.send(new ListObjectVersionsCommand({ Bucket }))).Versions?.[0]?.VersionId,
    async fill(Bucket) {
      // The emulator reads no conditions: what is denied without TLS it denies to all.
      const Policy = await policyOf(s3, Bucket);
      await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
      await s3.send(new PutObjectCommand({ Bucket, Key: KEPT, Body: KEPT }));
      if (Policy !== undefined) await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    },
  };
}

async function policyOf(s3: S3Client, Bucket: string): Promise<string | undefined> {
  try {
    return (await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy;
  } catch (error) {
    if ((error as Error).name === 'NoSuchBucketPolicy') return undefined;
    throw error;
  }
}
