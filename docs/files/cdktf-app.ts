import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, TerraformStack } from 'cdktf';
import { PreciseTtl } from 'precise-ttl/cdktf';

const app = new App();
const stack = new TerraformStack(app, 'sessions');
new AwsProvider(stack, 'aws', { region: 'eu-central-1' });

const table = new DynamodbTable(stack, 'table', {
  name: 'Sessions',
  billingMode: 'PAY_PER_REQUEST',
  hashKey: 'UserName',
  rangeKey: 'SessionId',
  attribute: [
    { name: 'UserName', type: 'S' },
    { name: 'SessionId', type: 'S' },
    { name: 'expirationWindow', type: 'S' },
    { name: 'ttl', type: 'N' },
  ],
  globalSecondaryIndex: [
    {
      name: 'expirationWindowIndex',
      hashKey: 'expirationWindow',
      rangeKey: 'ttl',
      projectionType: 'KEYS_ONLY',
    },
  ],
  ttl: { attributeName: 'ttl', enabled: true },
});

new PreciseTtl(stack, 'ttl', {
  table,
  name: 'sessions-ttl',
  partitionKey: 'UserName',
  sortKey: 'SessionId',
});

app.synth();
