import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

describeWithTerraform('a deployment of many tables', () => {
  const on = useFreshDeployment();

  test('is planned', async () => {
    const tables = Array.from({ length: 100 }, (_unused, index) => ({
      tableName: `Table${index}`,
      partitionKey: 'id',
    }));
    await on.deployment.use(configOf(...tables));
    const { create = [] } = (await on.deployment.plan()) as { create?: string[] };
    const own = create.filter(address => /aws_dynamodb_table\.Table/.test(address));
    expect(own).toHaveLength(tables.length);
  });

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
    const stopped = tables.map((table, index) =>
      index < 30 ? table : { ...table, existingTable: true, enabled: false },
    );
    await on.deployment.deploy(configOf(...stopped));
    const { delete: gone = [] } = await on.deployment.deploy(configOf(...tables.slice(0, 30)));
    expect(attached(gone)).toBeGreaterThan(3);
  });
});
