import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

describeWithTerraform('a deployment of many tables', () => {
  const on = useFreshDeployment();

  test('has roles of several policies, and of fewer with fewer tables', async () => {
    // With names as long as can be, this takes what a hundred tables would.
    const tables = Array.from(
      { length: 50 },
      (_unused, index): PreciseTtlProps => ({
        tableName: `table-${index}-`.padEnd(255, 'x'),
        partitionKey: 'id',
      }),
    );
    const attached = (addresses: readonly string[] = []) =>
      addresses.filter(address => address.startsWith('aws_iam_role_policy_attachment.')).length;
    const { create, ...others } = await on.deployment.deploy(configOf(...tables));
    expect(others).toEqual({});
    expect(attached(create)).toBeGreaterThan(5);
    // What is needless goes, and the roles keep what they need.
    const stopped = tables.map((table, index) => (index < 30 ? table : { ...table, existingTable: true }));
    await on.deployment.deploy(configOf(...stopped));
    const { delete: gone = [] } = await on.deployment.deploy(configOf(...tables.slice(0, 30)));
    expect(attached(gone)).toBeGreaterThan(3);
  });
});

const RULES = {
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000',
} as const;

describeWithTerraform('a deployment under the rules of a team', () => {
  const on = useFreshDeployment();

  test('takes them on in place', async () => {
    // From the beginning: the emulator changes the code of a function and not its processor.
    const processor = { architectures: ['x86_64'] };
    await on.deployment.deploy({ ...configOf(SESSION_DATA), overrides: { aws_lambda_function: processor } });
    const ruled = {
      ...configOf({ ...SESSION_DATA, ...RULES }),
      tags: { team: 'sessions' },
      overrides: {
        aws_lambda_function: {
          ...processor,
          runtime: 'nodejs22.x',
          tracing_config: { mode: 'Active' },
          vpc_config: {
            subnet_ids: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'],
            security_group_ids: ['sg-0a1b2c3d'],
          },
        },
        aws_iam_role: { permissions_boundary: 'arn:aws:iam::123456789012:policy/boundary' },
        aws_sfn_state_machine: { tracing_configuration: { enabled: true } },
      },
    };
    await on.deployment.use(ruled);
    const plan = await on.deployment.plan();
    expect(Object.keys(plan)).toEqual(['update']);
    expect(await on.deployment.apply()).toMatchObject({ status: 0 });
    expect(await on.deployment.plan()).toEqual({});
  });
});
