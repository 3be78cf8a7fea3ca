import { join } from 'node:path';
import { AssetType, TerraformAsset, TerraformElement, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';

const MODULE = join(import.meta.dirname, '../modules/created-tables');

/** Id of the one construct of this kind in a stack, and name of the module in Terraform's addresses. */
const ID = 'created_tables';
const NODE_ID = `:${ID}`;

/** A table, or the bucket of its archive, as the guard knows it. */
export interface GuardedResource {
  /** Where it stands, or stood, in the stack: `aws_dynamodb_table.…` */
  readonly address: string;
  /** Addresses of what belongs to it and is left with it. @default none */
  readonly parts?: readonly string[];
  /** What cannot change in place: Terraform or DynamoDB would have to make the table, or its index, anew. */
  readonly lasting: Readonly<Record<string, string>>;
}

/**
 * Keeps the tables of a stack, and the buckets of their archives, from being deleted or replaced by Terraform, whatever is edited in the configuration.
 *
 * `prevent_destroy` on a table refuses its replacement, but counts for nothing once the table's block is gone from the
 * configuration. So the stack also has one instance of a guard per created table, in a block that is always there:
 *
 * 1. An entry that is taken off the list takes its key from the guard's `for_each`: the guard's instance would be destroyed,
 *    which `prevent_destroy` refuses when the plan is made, before anything is changed.
 * 2. A property that cannot change in place is in the guard's `triggers_replace`: the same refusal.
 * 3. A table that becomes `existingTable: true` is forgotten by a `removed` block with `destroy = false`, and its guard's
 *    instance moves to a block without `prevent_destroy`, from where the entry can go. So is a bucket that is not asked for any more,
 *    with its policy and whatever else protects it.
 *
 * The guard is `terraform_data`, which is part of Terraform itself and makes nothing in AWS.
 */
export class CreatedTables extends TerraformElement {
  readonly #created = new Map<string, GuardedResource>();
  readonly #released = new Map<string, GuardedResource>();
  readonly #forgotten = new Map<string, GuardedResource>();
  readonly #source: string;

  private constructor(stack: TerraformStack) {
    // No table's name has a colon, and it is left out of the names that Terraform sees.
    super(stack, NODE_ID, ID);
    // Not the hash of the content: `terraform init` would have to be run again whenever a comment in it changes.
    this.#source = new TerraformAsset(this, 'module', {
      path: MODULE,
      type: AssetType.DIRECTORY,
      assetHash: 'module',
    }).path;
  }

  static of(scope: Construct): CreatedTables {
    const stack = TerraformStack.of(scope);
    return (stack.node.tryFindChild(NODE_ID) as CreatedTables | undefined) ?? new CreatedTables(stack);
  }

  /** This stack makes the table; it must come through every later plan. */
  keep(tableName: string, table: GuardedResource): void {
    this.#created.set(tableName, table);
  }

  /**
   * This stack does not manage the table, or not any more. What an earlier deployment created stays, with its data; where
   * there was none, nothing happens.
   */
  release(tableName: string, table: GuardedResource): void {
    this.#released.set(tableName, table);
  }

  /** As {@link release}, and for good: nothing of it is left in the state. */
  forget(tableName: string, table: GuardedResource): void {
    this.#forgotten.set(tableName, table);
  }

  override toTerraform(): object {
    const instance = (block: string, tableName: string) =>
      `module.${ID}.terraform_data.${block}[${JSON.stringify(tableName)}]`;
    const moved = (tableName: string, from: string, to: string) => ({
      from: instance(from, tableName),
      to: instance(to, tableName),
    });
    const lasting = (tables: Map<string, GuardedResource>) =>
      Object.fromEntries([...tables].map(([name, table]) => [name, table.lasting]));
    const notManaged = [...this.#released, ...this.#forgotten];
    return {
      module: {
        [ID]: {
          source: `./${this.#source}`,
          created: lasting(this.#created),
          released: lasting(this.#released),
          // A table that could not be created needs no guard yet.
          depends_on: [...this.#created.values()].map(({ address }) => address),
        },
      },
      moved: [
        ...[...this.#created.keys()].map(name => moved(name, 'released', 'created')),
        ...notManaged.map(([name]) => moved(name, 'created', 'released')),
      ],
      removed: notManaged.flatMap(([, { address, parts = [] }]) =>
        [address, ...parts].map(from => ({ from, lifecycle: [{ destroy: false }] })),
      ),
    };
  }
}
