import { configOf } from '../support/synthesized.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

/** The test's duration is that of `terraform init` and two plans: docs/operations.md has it. */
describeWithTerraform('a deployment of 100 tables', () => {
  const on = useFreshDeployment();

  test.each([1, 10, 100])('is planned: %d', async count => {
    const tables = Array.from({ length: count }, (_unused, index) => ({
      tableName: `Table${index}`,
      partitionKey: 'id',
    }));
    await on.deployment.use(configOf(...tables));
    const { create = [] } = (await on.deployment.plan()) as { create?: string[] };
    const own = create.filter(address => /aws_dynamodb_table\.Table/.test(address));
    expect(own).toHaveLength(count);
  });
});
