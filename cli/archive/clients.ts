import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { awsClient } from '../aws/client.ts';
import { type Environment, isLocal, localEndpoint } from '../aws/endpoint.ts';
import { noteEndpoint } from '../aws/note-endpoint.ts';
import { type ArchiveSource, folderSource, s3Source } from './archive-source.ts';
import type { Location } from './location.ts';

export interface ArchiveClients {
  readonly dynamoDb: DynamoDBClient;
  readonly source: ArchiveSource;
  /** Where DynamoDB's requests go, known once one was made. */
  endpoint(): URL | undefined;
  destroy(): void;
}

/** @throws {FlagError} when the environment names an endpoint that is none */
export function archiveClients(
  region: string,
  location: Location,
  environment: Environment,
  signal: AbortSignal,
): ArchiveClients {
  const dynamoDb = awsClient(config => new DynamoDBClient(config), 'DYNAMODB', region, environment);
  const endpoint = noteEndpoint(dynamoDb);
  const made: { destroy(): void }[] = [dynamoDb];
  const s3 = () => {
    const options = {
      // The bucket may lie in another region than the table.
      followRegionRedirects: true,
      forcePathStyle: isLocal(environment, 'S3'),
    };
    const client = awsClient(config => new S3Client({ ...config, ...options }), 'S3', region, environment);
    made.push(client);
    return client;
  };
  return {
    dynamoDb,
    source:
      location.kind === 'folder'
        ? folderSource(location.folder)
        : s3Source(s3(), location, { endpoint: localEndpoint(environment, 'S3'), signal }),
    endpoint,
    destroy() {
      for (const client of made) client.destroy();
    },
  };
}
