import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesizeModule } from '../../stacks/module.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf } from '../support/configs.ts';
import { folderWith } from '../support/folder.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

const rootIn = (region: string) => `provider "aws" {
  region = "${region}"
}

module "precise_ttl" {
  source = "./sweep"
}

output "tables" {
  value = module.precise_ttl.tables
}
`;

describeWithTerraform('a module that synth has written', () => {
  const on = useFreshDeployment();

  test('is applied from a root, plans nothing more, keeps its tables, and refuses another region', async () => {
    const root = new TerraformRoot(folderWith(), on.aws);
    const use = (region: string, config: unknown) => {
      const module = join(root.folder, 'sweep');
      mkdirSync(module, { recursive: true });
      synthesizeModule(config, module);
      writeFileSync(join(root.folder, 'main.tf'), rootIn(region));
    };
    const orders = { tableName: 'Orders', partitionKey: 'id' };
    const sessions = {
      ...{ tableName: 'Sessions', partitionKey: 'id', archive: true },
      events: { to: EXAMPLE_ARNS.bus },
    };
    use('us-east-1', configOf(orders, sessions));
    await root.succeed(['init', '-input=false']);
    const { create = [], ...others } = await root.planAndApply();
    expect(others).toEqual({});
    expect(create.every(address => address.startsWith('module.precise_ttl.'))).toBe(true);
    const outputs = JSON.parse(await root.succeed(['output', '-json', 'tables']));
    expect(outputs.Orders.tableArn).toMatch(/^arn:aws:dynamodb:us-east-1:\d{12}:table\/Orders$/);

    use('us-east-1', configOf(orders));
    expect(await root.plan()).toMatch(/prevent_destroy/);
    use('eu-central-1', configOf(orders, sessions));
    expect(await root.plan()).toMatch(
      /region: expected us-east-1, as the configuration has it, got eu-central-1/,
    );
  });
});
