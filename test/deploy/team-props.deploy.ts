import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const RULES = {
  tags: { team: 'sessions' },
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
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
