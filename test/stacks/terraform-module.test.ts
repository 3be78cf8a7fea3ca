import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdktf';
import { writeTerraformModule } from '../../stacks/terraform-module/write.ts';

test('the module is written with at most two syntheses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
  const synth = jest.spyOn(App.prototype, 'synth');
  try {
    writeTerraformModule(folder);
    expect(synth).toHaveBeenCalled();
    expect(synth.mock.calls.length).toBeLessThanOrEqual(2);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['versions.tf', 'variables.tf', 'outputs.tf', 'README.md', 'functions']),
    );
  } finally {
    synth.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
