// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { TerraformElement } from 'cdktf';
import type { Construct } from 'constructs';
import { leftBucket } from './archive.ts';
import type { Part } from './place.ts';
import type { SweptTable } from './swept-table.ts';

/** Id of KeptTables. Terraform prints it when `prevent_destroy` refuses a plan, so the id says what the user has to do. */
const ID = 'first-deploy-with-existingTable-true-then-take-out-the-entry';

/** Protects tables that we make: `prevent_destroy` in a table's own block is lost when the table is taken out of the configuration. */
export class KeptTables extends TerraformElement {
  readonly #part: Part;
  readonly #tables: readonly SweptTable[];

  constructor(scope: Construct, part: Part, tables: readonly SweptTable[]) {
    super(scope, ID);
    this.#part = part;
    this.#tables = tables;
  }

  /** Returns blocks that refuse a plan that deletes a table: DynamoDB's own protection refuses only after other resources are deleted. */
  override toTerraform(): object {
    const { place, deployment } = this.#part;
    const made = this.#tables.filter(({ isMade }) => isMade);
    const released = this.#tables.filter(({ props }) => props.existingTable);
    const kept = this.friendlyUniqueId;
    const [free, named] = [`${kept}-released`, `${kept}-name`];
    const instance = (block: string, { props }: SweptTable) =>
      `terraform_data.${block}[${JSON.stringify(props.tableName)}]`;
    const whole = `join(" in ", ["${deployment.name}", ${place.region}])`;
    // A table that is new or imported has no stored keys yet: `try` then takes the keys of the configuration.
    const changed = `[for name, keys in local.${kept} : "Table \${name}: \${try(terraform_data.${kept}[name].output, keys)}, not \${keys}" if try(terraform_data.${kept}[name].output, keys) != keys]`;
    return {
      locals: { [kept]: Object.fromEntries(made.map(table => [table.props.tableName, table.keys])) },
      resource: {
        terraform_data: {
          [kept]: {
            for_each: `\${local.${kept}}`,
            input: '${each.value}',
            lifecycle: { prevent_destroy: true, ignore_changes: ['input'] },
            // If a table's creation fails, no instance of this block protects it: it can be taken out of the configuration.
            depends_on: made.map(({ address }) => address),
          },
          // With `existingTable: true`, a table's instance moves to this block, which has no `prevent_destroy`: the table can be taken out.
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
