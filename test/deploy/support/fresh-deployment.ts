import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Deployment } from './deployment.ts';
import { type EmulatedAws, emulatedClient, startEmulatedAws } from './proof.ts';

/** What a test deploys to, and looks at what came of it by. */
export interface FreshDeployment {
  readonly aws: EmulatedAws;
  readonly deployment: Deployment;
  readonly client: DynamoDBClient;
}

/** Starts an emulated AWS for the tests of a block. Each of them finds it empty, with a deployment that has no state yet. */
export function useFreshDeployment(): FreshDeployment {
  const fresh = {} as { aws: EmulatedAws; deployment: Deployment; client: DynamoDBClient };

  beforeAll(async () => {
    fresh.aws = await startEmulatedAws();
    fresh.client = emulatedClient(fresh.aws);
  });

  afterAll(async () => {
    fresh.client?.destroy();
    await fresh.aws?.stop();
  });

  beforeEach(async () => {
    await fresh.aws.reset();
    fresh.deployment = new Deployment(fresh.aws);
  });

  afterEach(() => fresh.deployment.remove());

  return fresh;
}
