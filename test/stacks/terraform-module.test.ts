import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdktf';
import { PROP_NAMES, PROPS } from '../../config/props.ts';
import type { Kind } from '../../expiry/fields.ts';
import { ARCHIVE_TYPE } from '../../stacks/terraform-module/archive-part.ts';
import { EVENTS_TYPE } from '../../stacks/terraform-module/events-part.ts';
import { tableFields, typeOf, variables } from '../../stacks/terraform-module/variables.ts';
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

test.each(PROP_NAMES)('the variable of %s has the type that the prop accepts', name => {
  const { is, rule }: Kind<unknown> = PROPS[name].kind;
  const isRange = rule !== undefined && 'least' in rule;
  if (isRange || is(true)) expect(typeOf(name)).toBe(isRange ? 'number' : 'bool');
  else expect(['string', 'number', 'list(string)', ARCHIVE_TYPE, EVENTS_TYPE]).toContain(typeOf(name));
});
