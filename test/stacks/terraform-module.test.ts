import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdktf';
import { PROP_NAMES } from '../../config/props.ts';
import { tableFields, variables } from '../../stacks/terraform-module/variables.ts';
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

test.each([...variables(), ...tableFields()].map(({ name, description }) => [name, description]))(
  '%s is described in whole sentences, with names as Terraform has them, and without links',
  (_name, description) => {
    expect(description).toMatch(/^[A-Z"{].*[^.;:,]\.$/);
    expect(description).not.toMatch(/\]\(|`|\be\.g\.$/);
    const props = PROP_NAMES.filter(name => /[A-Z]/.test(name));
    expect(description.split(/\W+/).filter(word => (props as readonly string[]).includes(word))).toEqual([]);
  },
);
