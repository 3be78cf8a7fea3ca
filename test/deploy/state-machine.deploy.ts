import { join } from 'node:path';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ApiServer, Engine, Executions, realClock, StateMachines, StateTester } from 'stepfunctions-emulator';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes, expiryModel } from '../../expiry/index.ts';
import { dynamoDbQueries, isDynamoDbQuery } from '../../local/dynamodb/queries.ts';
import { LocalFunctions } from '../../local/functions/local-functions.ts';
import type { FunctionResource } from '../../local/stack/synthesized.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import {
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';

const PLACE = { account: '123456789012', region: 'us-east-1', partition: 'aws' } as const;

/** What is applied is run: the definition and the functions as Terraform has them in its state. */
describeWithTerraform('the state machine, on our own Step Functions endpoint', () => {
  let aws: EmulatedAws;
  let dynamoDb: DynamoDBClient;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    dynamoDb = emulatedClient(aws);
  });

  afterAll(async () => {
    dynamoDb?.destroy();
    await aws?.stop();
  });

  test('is created, sweeps what is expired and nothing else, is updated, and is deleted', async () => {
    const deployment = new Deployment(aws);
    const functions: { invoker?: LocalFunctions } = {};
    const engine = new Engine({
      clock: realClock,
      invoker: {
        invoke: (arn, payload, options) => {
          if (functions.invoker === undefined) throw new Error('The functions are not there yet.');
          return functions.invoker.invoke(arn, payload, options);
        },
      },
      resources: dynamoDbQueries(dynamoDb),
    });
    const stateMachines = new StateMachines(() => realClock.now());
    const server = await ApiServer.start({
      stateMachines,
      executions: new Executions({
        start: (machine, options) => engine.start(machine, options),
        redrive: execution => execution.redrive(),
      }),
      stateTester: new StateTester({ ...PLACE, clock: realClock, invoker: { invoke: notHere } }),
      isMocked: isDynamoDbQuery,
      ...PLACE,
    });
    const client = new SFNClient({
      endpoint: server.endpoint,
      region: PLACE.region,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const here = { AWS_ENDPOINT_URL_SFN: server.endpoint };
    try {
      // The emulator of AWS knows no PartiQL that deletes on a condition.
      const tokens: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', deleteMode: 'batch' };
      await deployment.deploy(configOf(tokens), { environment: here });
      const names = stateMachines.all.map(({ name, type }) => [name, type]);
      expect(names.sort()).toEqual([
        ['precise-ttl', 'EXPRESS'],
        ['precise-ttl-replay', 'STANDARD'],
      ]);
      const machine = stateMachines.all.find(({ name }) => name === 'precise-ttl-replay');
      functions.invoker = new LocalFunctions(await deployedFunctions(deployment), {
        dynamoDbEndpoint: aws.endpoint,
      });

      const documents = DynamoDBDocumentClient.from(dynamoDb);
      const model = expiryModel({ partitionKey: 'id' });
      const now = Math.floor(Date.now() / 1000);
      for (const [id, ttl] of [
        ['expired', now - 60],
        ['alive', now + 3600],
      ] as const) {
        const Item = { id, ...expiryAttributes(model, { id }, { expiresAt: ttl }) };
        await documents.send(new PutCommand({ TableName: 'Tokens', Item }));
      }
      const span = { from: new Date((now - 600) * 1000), to: new Date((now - 1) * 1000) };
      const { executionArn } = await client.send(
        new StartExecutionCommand({ stateMachineArn: machine?.arn, input: JSON.stringify(span) }),
      );
      const { output, status, cause } = await ended(client, executionArn ?? '');
      expect([status, cause]).toEqual(['SUCCEEDED', undefined]);
      expect(JSON.parse(output ?? '{}')).toMatchObject({ found: 1, deleted: 1, failed: 0 });
      const { Items } = await dynamoDb.send(new ScanCommand({ TableName: 'Tokens' }));
      expect(Items?.map(({ id }) => id?.S)).toEqual(['alive']);

      const changed = await deployment.deploy(configOf({ ...tokens, maxDeletesPerSecond: 3 }), {
        environment: here,
      });
      const updated = expect.stringContaining('aws_sfn_state_machine.');
      expect(changed).toEqual({ update: [updated, updated] });
      const { definition } = await client.send(
        new DescribeStateMachineCommand({ stateMachineArn: machine?.arn }),
      );
      expect(definition).toContain('"maxDeletesPerSecond":3');

      await deployment.deploy(configOf(tokens), { removed: true, environment: here });
      expect(stateMachines.all).toEqual([]);
    } finally {
      client.destroy();
      await server.stop();
      await functions.invoker?.stop();
      deployment.remove();
    }
  });
});

function notHere(): never {
  throw new Error('No state is tested here.');
}

/** The functions as they were applied, from the archives of the deployment. */
async function deployedFunctions(deployment: Deployment): Promise<FunctionResource[]> {
  const { values } = JSON.parse((await deployment.terraform(['show', '-json'])).output) as {
    values: { root_module: { resources: readonly { address: string; type: string; values: Applied }[] } };
  };
  return values.root_module.resources
    .filter(({ type }) => type === 'aws_lambda_function')
    .map(({ address, values: applied }) => ({
      address,
      name: applied.function_name,
      arn: applied.arn,
      region: PLACE.region,
      archive: join(deployment.folder, applied.filename),
      handler: applied.handler,
      memoryMb: applied.memory_size,
      timeoutSeconds: applied.timeout,
      environment: applied.environment[0]?.variables ?? {},
      logFormat: 'JSON',
    }));
}

interface Applied {
  readonly function_name: string;
  readonly arn: string;
  readonly filename: string;
  readonly handler: string;
  readonly memory_size: number;
  readonly timeout: number;
  readonly environment: readonly { readonly variables: Readonly<Record<string, string>> }[];
}

async function ended(client: SFNClient, executionArn: string) {
  for (;;) {
    const execution = await client.send(new DescribeExecutionCommand({ executionArn }));
    if (execution.status !== 'RUNNING') return execution;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}
