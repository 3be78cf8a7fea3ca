import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { PreciseTtl } from 'precise-ttl/cdktf';

/** The expiry model of the table, for the construct, the writers and the tests. */
export const TOKENS = {
  partitionKey: 'TokenId',
  ttlAttribute: 'ExpiresAt',
} as const;

/** The index that `PreciseTtl` expects in a table that it does not create. */
const WINDOW = 'expirationWindow';
const INDEX = 'expirationWindowIndex';

/** A table that this stack creates, and its sweep. */
export class TokensStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, 'aws', { region: 'eu-central-1' });

    const table = new DynamodbTable(this, 'table', {
      name: 'Tokens',
      billingMode: 'PAY_PER_REQUEST',
      hashKey: TOKENS.partitionKey,
      attribute: [
        { name: TOKENS.partitionKey, type: 'S' },
        { name: WINDOW, type: 'S' },
        { name: TOKENS.ttlAttribute, type: 'N' },
      ],
      globalSecondaryIndex: [
        { name: INDEX, hashKey: WINDOW, rangeKey: TOKENS.ttlAttribute, projectionType: 'KEYS_ONLY' },
      ],
      // Native TTL is the backstop.
      ttl: { attributeName: TOKENS.ttlAttribute, enabled: true },
      lifecycle: { preventDestroy: true },
    });

    const sweep = new PreciseTtl(this, 'ttl', { table, deployment: 'tokens-ttl', ...TOKENS });

    new TerraformOutput(this, 'state_machine_arn', { value: sweep.tick.arn });
  }
}
