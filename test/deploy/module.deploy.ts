import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeModule } from '../../stacks/module.ts';
import { configOf } from '../support/configs.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
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
  let aws: EmulatedAws;
  let root: TerraformRoot;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    root = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-root-')), aws);
  });
  afterAll(async () => {
    await aws?.stop();
    rmSync(root.folder, { recursive: true, force: true });
  });

  const use = (region: string, config: unknown) => {
    const module = join(root.folder, 'sweep');
    mkdirSync(module, { recursive: true });
    synthesizeModule(config, module);
    writeFileSync(join(root.folder, 'main.tf'), rootIn(region));
  };

  test('is applied from a root, plans nothing more, and keeps its tables', async () => {
    const orders = { tableName: 'Orders', partitionKey: 'id' };
    const sessions = {
      tableName: 'Sessions',
      partitionKey: 'id',
      archive: true,
      events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
    };
    use('us-east-1', configOf(orders, sessions));
    await root.succeed(['init', '-input=false']);
    const { create = [], ...others } = await root.deploy();
    expect(others).toEqual({});
    expect(create.every(address => address.startsWith('module.precise_ttl.'))).toBe(true);
    const outputs = JSON.parse(await root.succeed(['output', '-json', 'tables']));
    expect(outputs.Orders.tableArn).toMatch(/^arn:aws:dynamodb:us-east-1:\d{12}:table\/Orders$/);

    use('us-east-1', configOf(orders));
    expect(await root.plan()).toMatch(/prevent_destroy/);
  });

  test('refuses the provider of another region', async () => {
    use('eu-central-1', configOf({ tableName: 'Orders', partitionKey: 'id' }));
    await root.succeed(['init', '-input=false']);
    expect(await root.plan()).toMatch(
      /region: expected us-east-1, as the configuration has it, got eu-central-1/,
    );
  });
});
