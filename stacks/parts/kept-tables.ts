// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { TerraformElement } from 'cdktf';
import type { Construct } from 'constructs';
import { leftBucket } from './archive.ts';
import type { Part } from './place.ts';
import type { SweptTable } from './swept-table.ts';

/** Terraform prints this id when a plan is refused, so the id says what to do. */
const ID = 'first-deploy-with-existingTable-true-then-take-out-the-entry';

/**
 * Refuses a plan that would take a table out of the configuration while Terraform manages the table. `prevent_destroy` has no effect once a
 * resource's block is gone, and DynamoDB's deletion protection would refuse only after the sweep has lost the table. The blocks in this
 * class always stay: a table is only a key of a block's `for_each`.
 *
 * 1. A table that the deployment makes is a key of a block with `prevent_destroy`.
 * 2. With `existingTable: true` the table's key moves to a block without `prevent_destroy`, and Terraform forgets the table.
 * 3. A value that cannot change in place is stored. A postcondition refuses another value with our own message.
 */
export class KeptTables extends TerraformElement {
  readonly #part: Part;
  readonly #tables: readonly SweptTable[];

  constructor(scope: Construct, part: Part, tables: readonly SweptTable[]) {
    super(scope, ID);
    this.#part = part;
    this.#tables = tables;
  }

  override toTerraform(): object {
    const { place, deployment } = this.#part;
    const made = this.#tables.filter(({ isMade }) => isMade);
    const released = this.#tables.filter(({ props }) => props.existingTable);
    const kept = this.friendlyUniqueId;
    const [free, named] = [`${kept}-released`, `${kept}-name`];
    const instance = (block: string, { props }: SweptTable) =>
      `terraform_data.${block}[${JSON.stringify(props.tableName)}]`;
    const whole = `join(" in ", ["${deployment.name}", ${place.region}])`;
    // A table that is new, or is being imported, has no stored keys yet.
    const changed = `[for name, keys in local.${kept} : "Table \${name}: \${try(terraform_data.${kept}[name].output, keys)}, not \${keys}" if try(terraform_data.${kept}[name].output, keys) != keys]`;
    return {
      locals: { [kept]: Object.fromEntries(made.map(table => [table.props.tableName, table.keys])) },
      resource: {
        terraform_data: {
          [kept]: {
            for_each: `\${local.${kept}}`,
            input: '${each.value}',
            lifecycle: { prevent_destroy: true, ignore_changes: ['input'] },
            // The dependency keeps out a table whose creation failed.
            depends_on: made.map(({ address }) => address),
          },
          [free]: { for_each: Object.fromEntries(released.map(({ props }) => [props.tableName, ''])) },
          [named]: {
            input: `\${${whole}}`,
            lifecycle: {
              ignore_changes: ['input'],
              postcondition: [
                {
                  condition: `\${self.output == ${whole}}`,
                  error_message: `The deployment is \${self.output}, not \${${whole}}: another name or region is another deployment. ${REMEDY}`,
                },
                {
                  condition: `\${length(${changed}) == 0}`,
                  error_message: `\${join("; ", ${changed})}: a table's keys cannot change. ${REMEDY}`,
                },
              ],
            },
          },
        },
      },
      moved: released.map(table => ({ from: instance(kept, table), to: instance(free, table) })),
      removed: [...released.map(({ address }) => address), ...leftBucket(this)].map(from => ({
        from,
        lifecycle: [{ destroy: false }],
      })),
    };
  }
}

const REMEDY =
  'Nothing was changed: put it back, or see docs/operate.md of precise-ttl, "What cannot change".';
