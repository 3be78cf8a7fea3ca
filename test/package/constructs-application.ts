/**
 * A CDKTF app of a team, as constructs.outside-test.ts compiles and synthesizes it with the packed package, and with CDK
 * Terrain under other names of the modules.
 */
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import {
  type DeploymentConfig,
  defineConfig,
  InvalidConfigError,
  PreciseTtl,
  PreciseTtlError,
  type PreciseTtlProps,
  PreciseTtlStack,
} from 'precise-ttl/cdktf';

const props: PreciseTtlProps = {
  tableName: 'SessionData',
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
};

class SessionsStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, 'aws', { region: 'us-east-1' });
    const table = new DynamodbTable(this, 'sessions', {
      name: 'Sessions',
      billingMode: 'PAY_PER_REQUEST',
      hashKey: 'id',
      attribute: [
        { name: 'id', type: 'S' },
        { name: 'ttl', type: 'N' },
      ],
      globalSecondaryIndex: [{ name: 'expirySecondIndex', hashKey: 'ttl', projectionType: 'KEYS_ONLY' }],
      ttl: { attributeName: 'ttl', enabled: true },
    });
    const sweep = new PreciseTtl(this, 'sweep', {
      table,
      deployment: 'sessions',
      partitionKey: 'id',
      index: { by: 'second' },
    });
    sweep.functions.DeleteChunk.function.addOverride('reserved_concurrent_executions', 50);
    const arns = Object.values(sweep.functions).map(({ arn }) => arn);
    new TerraformOutput(this, 'arns', { value: arns });
    try {
      // @ts-expect-error: a table, and what would be done to one of ours
      new PreciseTtl(this, 'both', { table, deployment: 'both', partitionKey: 'id', existingTable: true });
    } catch (error) {
      if (!(error instanceof InvalidConfigError && error instanceof PreciseTtlError)) throw error;
    }
  }
}

export const misspelt: PreciseTtlProps = {
  ...props,
  // @ts-expect-error: there is no such field
  shard: 2,
};

export const noWay: PreciseTtlProps = {
  ...props,
  // @ts-expect-error: there are two ways
  index: { by: 'minute' },
};

const config: DeploymentConfig = defineConfig({ region: 'us-east-1', tables: [props] });
const app = new App({ outdir: 'synthesized' });
new PreciseTtlStack(app, 'precise-ttl', config);
new SessionsStack(app, 'sessions');
app.synth();
