import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ProofStore } from './write-manifests.ts';

/** The objects of a bucket below a prefix, which is empty or ends with a slash. */
export function s3ProofStore(client: S3Client, bucket: string, prefix: string): ProofStore {
  const put = (path: string, body: Uint8Array, more: { readonly IfNoneMatch?: string } = {}) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}${path}`, Body: body, ...more }));
  return {
    folders: async path => {
      const folders: string[] = [];
      const given = { Bucket: bucket, Prefix: `${prefix}${path}`, Delimiter: '/' };
      for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client }, given))
        for (const { Prefix = '' } of CommonPrefixes) folders.push(Prefix.slice(given.Prefix.length, -1));
      return folders;
    },
    get: async path => {
      const Key = `${prefix}${path}`;
      // With permission to list only one folder, S3 answers AccessDenied for a missing object.
      const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: Key, MaxKeys: 1 });
      const { Contents = [] } = await client.send(list);
      if (Contents[0]?.Key !== Key) return undefined;
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
      return await Body?.transformToByteArray();
    },
    put: async (path, body) => {
      await put(path, body);
    },
    create: async (path, body) => {
      try {
        await put(path, body, { IfNoneMatch: '*' });
        return true;
      } catch (error) {
        if ((error as Error).name === 'PreconditionFailed') return false;
        throw error;
      }
    },
  };
}
