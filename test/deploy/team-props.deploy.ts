import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const RULES = {
  tags: { team: 'sessions' },
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
  vpc: { subnetIds: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
  kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000',
  functionRuntime: 'nodejs22.x',
  tracing: true,
} as const;

describeWithTerraform('a deployment under the rules of a team', () => {
  const on = useFreshDeployment();

  test('takes them on in place; only another path makes roles anew', async () => {
    // From the beginning: the emulator changes the code of a function and not its processor.
    const table = { ...SESSION_DATA, functionArchitecture: 'x86_64' } as const;
    await on.deployment.deploy(configOf(table));
    await on.deployment.use(configOf({ ...table, ...RULES }));
    const plan = await on.deployment.plan();
    expect(Object.keys(plan)).toEqual(['update']);
    expect(await on.deployment.apply()).toMatchObject({ status: 0 });
    expect(await on.deployment.plan()).toEqual({});

    await on.deployment.use(configOf({ ...table, ...RULES, rolePath: '/teams/sessions/' }));
    const moved = await on.deployment.plan();
    const replaced = Object.entries(moved).flatMap(([action, addresses]) =>
      action === 'delete' || action === 'replace'
        ? (addresses as string[]).map(address => address.split('.')[0])
        : [],
    );
    expect([...new Set(replaced)].sort()).toEqual(['aws_iam_role', 'aws_iam_role_policy']);
    expect(await on.deployment.apply()).toMatchObject({ status: 0 });
    expect(await on.deployment.plan()).toEqual({});
  });
});
