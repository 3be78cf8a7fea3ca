import { readFileSync } from 'node:fs';
import type { DeploymentConfig } from '../../stacks/config/config.ts';
import { folderWith } from '../support/folder.ts';
import { terraformJson } from '../support/synthesized.ts';
import { describeWithTerraform } from './support/proof.ts';
import { checkov } from './support/tools.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-00000000000';

/** All that has a resource, and all that a checker asks for. */
const EVERYTHING: DeploymentConfig = {
  region: 'us-east-1',
  kmsKeyArn: `${KEY}0`,
  overrides: {
    aws_sfn_state_machine: { tracing_configuration: { enabled: true } },
    aws_lambda_function: {
      tracing_config: { mode: 'Active' },
      vpc_config: { subnet_ids: ['subnet-0a1b2c3d'], security_group_ids: ['sg-0a1b2c3d'] },
      reserved_concurrent_executions: 50,
      code_signing_config_arn:
        'arn:aws:lambda:us-east-1:123456789012:code-signing-config:csc-0a1b2c3d4e5f60718',
    },
  },
  tables: [
    {
      tableName: 'Orders',
      partitionKey: 'id',
      tableKmsKeyArn: `${KEY}1`,
      archive: true,
      events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
    },
  ],
};

/** The page has the reasons. */
function exceptions(): string[] {
  const page = readFileSync('docs/contributing/terraform.md', 'utf8');
  const rows = /<!-- checkov -->(.*)<!-- \/checkov -->/s.exec(page)?.[1] ?? '';
  return [...rows.matchAll(/^\| `(CKV\w+)` \| [^|]{20,} \| [^|]{40,} \|$/gm)].map(([, check = '']) => check);
}

describeWithTerraform('a deployment with everything on', () => {
  test('fails the checks of checkov that docs/contributing/terraform.md gives a reason for, and no other', async () => {
    const { resource, data, provider } = terraformJson(EVERYTHING);
    const folder = folderWith({ 'cdk.tf.json': JSON.stringify({ resource, data, provider }) });
    const { passed, failed } = await checkov(folder);
    expect(passed).toBeGreaterThanOrEqual(170);
    expect([...failed].sort()).toEqual(exceptions().sort());
  });
});
