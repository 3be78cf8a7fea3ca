import { join } from 'node:path';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Engine, loadDefinition, realClock } from 'stepfunctions-emulator';
import { expiryAttributes, expiryModel } from '../../expiry/index.ts';
import { LocalFunctions } from '../../local/functions/local-functions.ts';
import type { FunctionResource } from '../../local/stack/synthesized.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import {
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';

/** What is applied is run: the definition and the functions as Terraform has them in its state. */
describeWithTerraform('the state machine', () => {
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
    let functions: LocalFunctions | undefined;
    try {
      // The emulator of AWS knows no PartiQL that deletes on a condition.
      const tokens: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', deleteMode: 'batch' };
      await deployment.deploy(configOf(tokens));
      const machines = await applied<AppliedMachine>(deployment, 'aws_sfn_state_machine');
      expect(machines.map(({ values: { name, type } }) => [name, type]).sort()).toEqual([
        ['precise-ttl', 'EXPRESS'],
        ['precise-ttl-replay', 'STANDARD'],
      ]);
      const replay = machines.find(({ values: { name } }) => name === 'precise-ttl-replay')?.values;
      if (replay === undefined) throw new Error('no replay was applied');
      functions = new LocalFunctions(await deployedFunctions(deployment), { dynamoDbEndpoint: aws.endpoint });

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
      const span = {
        from: new Date((now - 600) * 1000).toISOString(),
        to: new Date((now - 1) * 1000).toISOString(),
      };
      const engine = new Engine({ clock: realClock, invoker: functions });
      const { arn, name, role_arn: roleArn } = replay;
      const definition = loadDefinition(replay.definition, 'STANDARD');
      const { status, output, cause } = await engine.start(
        { arn, name, roleArn, type: 'STANDARD', definition },
        { input: span },
      ).done;
      expect([status, cause]).toEqual(['SUCCEEDED', undefined]);
      expect(output).toMatchObject({ tables: { Tokens: { found: 1, deleted: 1, failed: 0 } } });
      const { Items } = await dynamoDb.send(new ScanCommand({ TableName: 'Tokens' }));
      expect(Items?.map(({ id }) => id?.S)).toEqual(['alive']);

      const changed = await deployment.deploy(configOf({ ...tokens, maxDeletesPerSecond: 3 }));
      const updated = expect.stringContaining('aws_sfn_state_machine.');
      expect(changed).toEqual({ update: [updated, updated] });
      const after = await applied<AppliedMachine>(deployment, 'aws_sfn_state_machine');
      expect(after.map(({ values }) => values.definition)).toEqual(
        Array(2).fill(expect.stringContaining('"maxDeletesPerSecond":3')),
      );

      await deployment.deploy(configOf(tokens), { removed: true });
      expect(await applied(deployment, 'aws_sfn_state_machine')).toEqual([]);
    } finally {
      await functions?.stop();
      deployment.remove();
    }
  });
});

interface Applied<Values> {
  readonly address: string;
  readonly type: string;
  readonly values: Values;
}

/** The resources of a type as they are in Terraform's state. */
async function applied<Values>(deployment: Deployment, type: string): Promise<Applied<Values>[]> {
  const { values } = JSON.parse((await deployment.terraform(['show', '-json'])).output) as {
    values?: { root_module: { resources?: readonly Applied<Values>[] } };
  };
  return (values?.root_module.resources ?? []).filter(resource => resource.type === type);
}

interface AppliedMachine {
  readonly arn: string;
  readonly name: string;
  readonly type: string;
  readonly role_arn: string;
  readonly definition: string;
}

/** The functions as they were applied, from the archives of the deployment. */
async function deployedFunctions(deployment: Deployment): Promise<FunctionResource[]> {
  const functions = await applied<AppliedFunction>(deployment, 'aws_lambda_function');
  return functions.map(({ address, values }) => ({
    address,
    name: values.function_name,
    arn: values.arn,
    region: 'us-east-1',
    archive: join(deployment.folder, values.filename),
    handler: values.handler,
    memoryMb: values.memory_size,
    timeoutSeconds: values.timeout,
    environment: values.environment[0]?.variables ?? {},
    logFormat: 'JSON',
  }));
}

interface AppliedFunction {
  readonly function_name: string;
  readonly arn: string;
  readonly filename: string;
  readonly handler: string;
  readonly memory_size: number;
  readonly timeout: number;
  readonly environment: readonly { readonly variables: Readonly<Record<string, string>> }[];
}
