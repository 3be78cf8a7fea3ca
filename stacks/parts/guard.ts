// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { join } from 'node:path';
import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { AssetType, TerraformAsset, TerraformElement, TerraformResource, TerraformStack } from 'cdktf';
import { Construct, type IConstruct } from 'constructs';
import { ADOPTED } from '../../config/holdings.ts';

const MODULE = join(import.meta.dirname, '../modules/created-tables');

/**
 * Id of the only construct of this kind in a stack, and name of the module in Terraform's addresses, which have been in the states since
 * the first version.
 */
const ID = 'created_tables';
const NODE_ID = `:${ID}`;

/** The guard's data on a table, or on the bucket of its archive. */
export interface GuardedResource {
  /** Address that it has, or had, in the stack: `aws_dynamodb_table.…` */
  readonly address: string;
  /** Addresses of its further resources, which are kept with it. @default none */
  readonly parts?: readonly string[];
  /** Properties that cannot change in place: Terraform or DynamoDB would have to replace the table or its index. */
  readonly lasting: Readonly<Record<string, string>>;
}

/** The guard's data on a sweep. */
export interface GuardedSweep {
  /**
   * Its name, which is part of the names of its queues, its topic and its logs, and its region. It is a reference to a resource that is
   * created late, so that after an early failure a deployment can still get another name.
   */
  readonly name: string;
  /** Whether its entry must not be removed. */
  readonly isRunning: boolean;
}

/** A log group that may exist in AWS already. */
interface Adopted {
  readonly id: string;
  readonly name: string;
}

/**
 * Prevents Terraform from deleting or replacing resources that hold data (`config/holdings.ts`), whatever is edited in the configuration.
 *
 * `prevent_destroy` on a resource refuses its replacement, but has no effect once the resource's block is removed from the configuration.
 * So the stack also has instances of a guard in blocks that are never removed:
 *
 * 1. Removing an entry from the list removes its key from a guard's `for_each`: the guard's instance would be destroyed, which
 *    `prevent_destroy` refuses in the plan, before anything is changed. This protects tables, buckets of archives, and sweeps that
 *    have schedules.
 * 2. A property of a table that cannot change in place is in the guard's `triggers_replace`, which is refused in the same way.
 * 3. The name and the region of a sweep are stored in an instance that ignores changes, and refuses other values by a postcondition.
 * 4. An entry that may be removed is first moved to a block without `prevent_destroy`: a table that becomes `existingTable: true`, which
 *    Terraform forgets by a `removed` block with `destroy = false`; a sweep without schedules.
 * 5. Resources that a prop turns off are also forgotten, and stay in AWS. When they are turned on again they have the same name: SQS and
 *    SNS then return the existing resource. CloudWatch Logs refuses, so an existing log group is imported.
 *
 * The guard is a `terraform_data` resource, which is built into Terraform and creates nothing in AWS.
 */
export class Guard extends TerraformElement {
  readonly #created = new Map<string, GuardedResource>();
  readonly #released = new Map<string, GuardedResource>();
  readonly #forgotten = new Map<string, GuardedResource>();
  readonly #sweeps = new Map<string, GuardedSweep>();
  readonly #removedSweeps = new Set<string>();
  readonly #left = new Set<string>();
  readonly #adopted: Adopted[] = [];
  readonly #source: string;

  private constructor(stack: TerraformStack) {
    // No table's name has a colon, and CDKTF leaves it out of Terraform's names.
    super(stack, NODE_ID, ID);
    // Not a hash of the content: then each change of a comment in it would require another `terraform init`.
    this.#source = new TerraformAsset(this, 'module', {
      path: MODULE,
      type: AssetType.DIRECTORY,
      assetHash: 'module',
    }).path;
  }

  static of(scope: Construct): Guard {
    const stack = TerraformStack.of(scope);
    return (stack.node.tryFindChild(NODE_ID) as Guard | undefined) ?? new Guard(stack);
  }

  /** Keeps a table that this stack makes through every later plan. */
  keep(tableName: string, table: GuardedResource): void {
    this.#created.set(tableName, table);
  }

  /**
   * Releases a table that this stack does not manage, or no longer manages. A table of an earlier deployment stays, with its data; if
   * there was none, this has no effect.
   */
  release(tableName: string, table: GuardedResource): void {
    this.#released.set(tableName, table);
  }

  /** Releases like {@link release}, and leaves nothing in the state. */
  forget(tableName: string, table: GuardedResource): void {
    this.#forgotten.set(tableName, table);
  }

  /**
   * Keeps the queues, the topic and the logs of a sweep through every later plan, as far as it has them. Those of an earlier deployment
   * that this one does not have stay in AWS; they are used again when a later deployment has them again.
   *
   * @param scope scope of the sweep and all its resources
   * @param places types of its possible resources by path
   */
  keepSweep(scope: Construct, sweep: GuardedSweep, places: ReadonlyMap<string, string>): void {
    this.#sweeps.set(pathOf(scope), sweep);
    for (const [path, type] of places) {
      const found = find(scope, path);
      if (!(found instanceof TerraformResource)) this.#left.add(addressAt(scope, path, type));
      else if (ADOPTED.includes(path) && found instanceof CloudwatchLogGroup) {
        this.#adopted.push({ id: found.friendlyUniqueId, name: found.nameInput ?? '' });
      }
    }
  }

  /** Forgets the resource of an earlier deployment, which stays in AWS. */
  leave(scope: Construct, path: string, type: string): void {
    this.#left.add(addressAt(scope, path, type));
  }

  /** Allows the removal of a sweep, with its queues, its topic and its logs. @param scope as for {@link keepSweep} */
  removeSweep(scope: Construct): void {
    this.#removedSweeps.add(pathOf(scope));
  }

  override toTerraform(): object {
    const instance = (block: string, key: string) =>
      `module.${ID}.terraform_data.${block}[${JSON.stringify(key)}]`;
    const moved = (key: string, from: string, to: string) => ({
      from: instance(from, key),
      to: instance(to, key),
    });
    const lasting = (tables: Map<string, GuardedResource>) =>
      Object.fromEntries([...tables].map(([name, table]) => [name, table.lasting]));
    const notManaged = [...this.#released, ...this.#forgotten];
    const sweeps = [...this.#sweeps];
    const [running, stopped] = [true, false].map(isRunning =>
      sweeps.filter(([, sweep]) => sweep.isRunning === isRunning),
    ) as [typeof sweeps, typeof sweeps];
    const names = (those: typeof sweeps) => Object.fromEntries(those.map(([path, { name }]) => [path, name]));
    const addresses = [
      ...notManaged.flatMap(([, { address, parts = [] }]) => [address, ...parts]),
      ...this.#left,
    ];
    return {
      module: {
        [ID]: {
          source: `./${this.#source}`,
          created: lasting(this.#created),
          released: lasting(this.#released),
          running: names(running),
          stopped: names(stopped),
          // A table whose creation failed needs no guard yet.
          depends_on: [...this.#created.values()].map(({ address }) => address),
        },
      },
      moved: [
        ...[...this.#created.keys()].map(name => moved(name, 'released', 'created')),
        ...notManaged.map(([name]) => moved(name, 'created', 'released')),
        ...running.map(([path]) => moved(path, 'stopped', 'running')),
        ...[...stopped.map(([path]) => path), ...this.#removedSweeps].map(path =>
          moved(path, 'running', 'stopped'),
        ),
      ],
      removed: addresses.map(from => ({ from, lifecycle: [{ destroy: false }] })),
      ...(this.#adopted.length > 0 && this.#imports()),
    };
  }

  /** Imports log groups that exist in AWS but not in the state; others are not affected. */
  #imports(): object {
    return {
      data: {
        aws_cloudwatch_log_groups: Object.fromEntries(
          this.#adopted.map(({ id, name }) => [id, { log_group_name_prefix: name }]),
        ),
      },
      import: this.#adopted.map(({ id, name }) => ({
        // The prefix also finds longer names.
        for_each: `\${toset([for found in data.aws_cloudwatch_log_groups.${id}.log_group_names : found if found == ${JSON.stringify(name)}])}`,
        to: `aws_cloudwatch_log_group.${id}`,
        id: '${each.value}',
      })),
    };
  }
}

/** The path of a construct in its stack. No table's name has a slash. */
export function pathOf(construct: Construct): string {
  const [, ...path] = construct.node.path.slice(TerraformStack.of(construct).node.path.length).split('/');
  return path.join('/');
}

function find(scope: IConstruct, path: string): IConstruct | undefined {
  return path.split('/').reduce<IConstruct | undefined>((parent, id) => parent?.node.tryFindChild(id), scope);
}

/** Address that a resource below a construct has, or had. */
function addressAt(scope: IConstruct, path: string, type: string): string {
  const place = path
    .split('/')
    .reduce<IConstruct>(
      (parent, id) => parent.node.tryFindChild(id) ?? new Construct(parent as Construct, id),
      scope,
    );
  return `${type}.${TerraformStack.of(scope).getLogicalId(place.node)}`;
}
