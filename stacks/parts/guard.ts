// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { join } from 'node:path';
import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { AssetType, TerraformAsset, TerraformElement, TerraformResource, TerraformStack } from 'cdktf';
import { Construct, type IConstruct } from 'constructs';
import { ADOPTED } from '../../config/holdings.ts';

const MODULE = join(import.meta.dirname, '../modules/created-tables');

/**
 * Id of the one construct of this kind in a stack, and name of the module in Terraform's addresses, which states have had from the first
 * version on.
 */
const ID = 'created_tables';
const NODE_ID = `:${ID}`;

/** A table, or the bucket of its archive, as the guard knows it. */
export interface GuardedResource {
  /** Where it stands, or stood, in the stack: `aws_dynamodb_table.…` */
  readonly address: string;
  /** Addresses of what belongs to it and is left with it. @default none */
  readonly parts?: readonly string[];
  /** Properties that cannot change in place: Terraform or DynamoDB would have to make the table, or its index, anew. */
  readonly lasting: Readonly<Record<string, string>>;
}

/** A sweep as the guard knows it. */
export interface GuardedSweep {
  /**
   * Its name, of which those of its queues, its topic and its logs are made, and its region. A reference to something of it that is
   * made late: a deployment that fails before that can still have another name.
   */
  readonly name: string;
  /** Whether its entry must not go. */
  readonly isRunning: boolean;
}

/** A log group that AWS may have already. */
interface Adopted {
  readonly id: string;
  readonly name: string;
}

/**
 * Keeps what holds something (`config/holdings.ts`) from being deleted or replaced by Terraform, whatever is edited in the
 * configuration.
 *
 * `prevent_destroy` on a resource refuses its replacement, but counts for nothing once the resource's block is gone from the
 * configuration. So the stack also has instances of a guard in blocks that are always there:
 *
 * 1. An entry that is taken off the list takes its key from a guard's `for_each`: the guard's instance would be destroyed,
 *    which `prevent_destroy` refuses when the plan is made, before anything is changed. So it is with tables, with the buckets of
 *    archives, with sweeps that have schedules, and with attributes that hold items.
 * 2. A property of a table that cannot change in place is in the guard's `triggers_replace`: the same refusal.
 * 3. The name and the region of a sweep are remembered by an instance that ignores every other one, and refuses it by a postcondition.
 * 4. What may go is moved to a block without `prevent_destroy`, from where it can: a table that becomes `existingTable: true`, which is
 *    forgotten by a `removed` block with `destroy = false`; a sweep without schedules; an attribute whose holds are released.
 * 5. What a prop turns off is forgotten too, and stays in AWS. Turned on again it has the same name: SQS and SNS then answer with the
 *    one that they have. CloudWatch Logs refuses, so that a log group which is there is imported.
 *
 * The guard is `terraform_data`, which is part of Terraform itself and makes nothing in AWS.
 */
export class Guard extends TerraformElement {
  readonly #created = new Map<string, GuardedResource>();
  readonly #released = new Map<string, GuardedResource>();
  readonly #forgotten = new Map<string, GuardedResource>();
  readonly #sweeps = new Map<string, GuardedSweep>();
  readonly #removedSweeps = new Set<string>();
  readonly #held = new Set<string>();
  readonly #releasedHolds = new Set<string>();
  readonly #left = new Set<string>();
  readonly #adopted: Adopted[] = [];
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

  static of(scope: Construct): Guard {
    const stack = TerraformStack.of(scope);
    return (stack.node.tryFindChild(NODE_ID) as Guard | undefined) ?? new Guard(stack);
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

  /**
   * The queues, the topic and the logs of the sweep must come through every later plan, as far as it has them. Those that an earlier
   * deployment had and this one has not stay in AWS; those that are there already are taken up again.
   *
   * @param scope the sweep, with everything that it has
   * @param places what it may have: types by where they stand
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

  /** Leaves the resource of an earlier deployment in AWS. */
  leave(scope: Construct, path: string, type: string): void {
    this.#left.add(addressAt(scope, path, type));
  }

  /** The sweep goes, with its queues, its topic and its logs. @param scope as for {@link keepSweep} */
  removeSweep(scope: Construct): void {
    this.#removedSweeps.add(pathOf(scope));
  }

  /** Items that have the attribute stay, and so the sweep must know of it. @param scope as for {@link keepSweep} */
  keepHolds(scope: Construct, attribute: string): void {
    this.#held.add(holdKey(scope, attribute));
  }

  /** The attribute need not hold items any more. @param scope as for {@link keepSweep} */
  releaseHolds(scope: Construct, attribute: string): void {
    this.#releasedHolds.add(holdKey(scope, attribute));
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
          held: [...this.#held].filter(key => !this.#releasedHolds.has(key)),
          // A table that could not be created needs no guard yet.
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
        ...[...this.#releasedHolds].map(key => moved(key, 'held', 'released')),
      ],
      removed: addresses.map(from => ({ from, lifecycle: [{ destroy: false }] })),
      ...(this.#adopted.length > 0 && this.#imports()),
    };
  }

  /** A log group that is there already becomes Terraform's; where there is none, nothing happens. Nor where it is Terraform's. */
  #imports(): object {
    return {
      data: {
        aws_cloudwatch_log_groups: Object.fromEntries(
          this.#adopted.map(({ id, name }) => [id, { log_group_name_prefix: name }]),
        ),
      },
      import: this.#adopted.map(({ id, name }) => ({
        // The prefix finds those of longer names too.
        for_each: `\${toset([for found in data.aws_cloudwatch_log_groups.${id}.log_group_names : found if found == ${JSON.stringify(name)}])}`,
        to: `aws_cloudwatch_log_group.${id}`,
        id: '${each.value}',
      })),
    };
  }
}

/** Where a construct stands in its stack. No table's name has a slash. */
export function pathOf(construct: Construct): string {
  const [, ...path] = construct.node.path.slice(TerraformStack.of(construct).node.path.length).split('/');
  return path.join('/');
}

/** DynamoDB takes attributes of any name, and Terraform reads a template in some. */
function holdKey(scope: Construct, attribute: string): string {
  return `${pathOf(scope)}/${encodeURIComponent(attribute.toWellFormed())}`;
}

function find(scope: IConstruct, path: string): IConstruct | undefined {
  return path.split('/').reduce<IConstruct | undefined>((parent, id) => parent?.node.tryFindChild(id), scope);
}

/** Address that a resource has, or had, below a construct. */
function addressAt(scope: IConstruct, path: string, type: string): string {
  const place = path
    .split('/')
    .reduce<IConstruct>(
      (parent, id) => parent.node.tryFindChild(id) ?? new Construct(parent as Construct, id),
      scope,
    );
  return `${type}.${TerraformStack.of(scope).getLogicalId(place.node)}`;
}
