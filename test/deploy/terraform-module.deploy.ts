import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTerraformModule } from '../../stacks/terraform-module/write.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

describeWithTerraform('the Terraform module', () => {
  let aws: EmulatedAws;
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));

  beforeAll(async () => {
    aws = await startEmulatedAws();
    writeTerraformModule(folder);
  });

  afterAll(async () => {
    await aws?.stop();
    rmSync(folder, { recursive: true });
  });

  test('is formatted and valid, and its example is deployed, with an empty second plan', async () => {
    const root = new TerraformRoot(join(folder, 'examples/two-tables'), aws);
    expect((await new TerraformRoot(folder, aws).terraform(['fmt', '-check', '-recursive'])).output).toBe('');
    await root.succeed(['init', '-input=false']);
    await root.succeed(['validate']);
    expect(await root.succeed(['test'])).toContain('1 passed, 0 failed');
    const { create = [], ...others } = await root.deploy();
    expect(others).toEqual({});
    expect(create).toContain('module.precise_ttl.aws_sfn_state_machine.sweep_machine');

    // A tag of one table is no update of anything else.
    expect(await root.plan({ TF_VAR_team: 'sessions' })).toEqual({
      update: ['aws_dynamodb_table.sessions'],
    });
  });
});
