import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfigFile } from '../../config/config-file.ts';
import { printError } from '../print.ts';
import { asNoted, type Deployed, deployedOf, type Narrowed, narrow, toReach } from './narrow.ts';
import { type Refusal, Terraform } from './run-terraform.ts';
import { type SynthesizedStack, synthesizeStack } from './synthesized-stack.ts';
import { requireTerraform, terraformBinary } from './terraform-binary.ts';

export interface PlanningFlags {
  /** As for `loadConfigFile`. */
  readonly config: string | undefined;
  /** Names of the only tables that are as the file says. @default all */
  readonly table?: readonly string[];
  /** As for `synthesizeStack`. Not with `table`. */
  readonly removed?: boolean;
  /** There is a plan already, for {@link StackPlan.synthesizeAs}. @default false */
  readonly kept?: boolean;
}

/** The result of {@link StackPlan.plan}. */
export interface Planned {
  /** Whether something would be changed; undefined when Terraform refused the plan, and has said why. */
  readonly changes: boolean | undefined;
  /** Tables that are not as the configuration says, and were left out of the plan. */
  readonly broken: readonly string[];
}

/** The stack of a configuration, and Terraform in it. */
export class StackPlan {
  readonly terraform: Terraform;
  readonly #flags: PlanningFlags;
  readonly #file: unknown;
  readonly #stack: SynthesizedStack;

  private constructor(program: string, flags: PlanningFlags, file: unknown, stack: SynthesizedStack) {
    this.terraform = new Terraform(program, stack);
    this.#flags = flags;
    this.#file = file;
    this.#stack = stack;
  }

  /**
   * Synthesizes, with `table` and `kept` only what it takes to reach the deployment: the entries may be in the middle of a change.
   * Terraform is to be initialized then.
   *
   * @throws {DeployError} when there is no Terraform that can be run
   * @throws {ConfigFileError} or {InvalidConfigError} before anything is written
   */
  static async of(flags: PlanningFlags): Promise<StackPlan> {
    const program = terraformBinary(process.env);
    await requireTerraform(program);
    const file = await loadConfigFile(flags.config);
    const { config, removed = false, table = [], kept = false } = flags;
    const stack = await synthesizeStack(
      kept || table.length > 0
        ? { config, narrowed: { config: toReach(file) }, removed: true }
        : { config, narrowed: { config: file }, removed },
    );
    return new StackPlan(program, flags, file, stack);
  }

  /**
   * Shows what would be changed. An existing table that Terraform refuses is left as it is deployed, and the others are planned without it.
   *
   * @param file where the plan is kept, absolute
   * @param quiet show nothing
   */
  async plan(file: string, { quiet = false } = {}): Promise<Planned> {
    const { table = [] } = this.#flags;
    const only = table.length === 0 ? undefined : table;
    const broken = new Set<string>();
    let deployed: Deployed | undefined;
    const narrowed = async () => {
      deployed ??= deployedOf(await this.terraform.outputs());
      return narrow(this.#file, deployed, { only, broken });
    };
    if (only !== undefined) await this.#synthesize(await narrowed());
    for (;;) {
      const changes = await this.terraform.plan(file, { quiet });
      if (changes !== undefined) return { changes, broken: [...broken] };
      const found = this.#brokenTables(await this.terraform.refusals());
      const more = [...found].filter(([name]) => !broken.has(name));
      if (more.length === 0) return { changes, broken: [] };
      for (const [name, why] of more) {
        broken.add(name);
        printError(`\n${why}\nNothing is changed for ${name}, and the other tables are planned without it.`);
      }
      if (only?.every(name => broken.has(name))) return { changes, broken: [] };
      const rest = await narrowed();
      if (rest.config.tables.length === 0) return { changes, broken: [] };
      await this.#synthesize(rest);
    }
  }

  /** Synthesizes what a plan was made of: the functions' archives are not in it. */
  async synthesizeAs(plan: string): Promise<void> {
    // Terraform refuses to apply a file that is no plan.
    const planned = await this.terraform.planned(plan).catch(() => ({}));
    const { planned_values: values } = planned as {
      readonly planned_values?: { readonly outputs?: Parameters<typeof deployedOf>[0] };
    };
    const { configuration } = deployedOf(values?.outputs ?? {});
    const config = configuration === undefined ? this.#file : asNoted(this.#file, configuration);
    await synthesizeStack({ config: this.#flags.config, narrowed: { config } });
  }

  async #synthesize(narrowed: Narrowed): Promise<void> {
    await synthesizeStack({ config: this.#flags.config, narrowed });
  }

  /** Existing tables that are the only reason for a refusal, by their names with what is wrong; none when something else is. */
  #brokenTables(refusals: readonly Refusal[]): ReadonlyMap<string, string> {
    const { data = {} } = JSON.parse(readFileSync(join(this.#stack.stack, 'cdk.tf.json'), 'utf8')) as {
      readonly data?: Readonly<Record<string, Readonly<Record<string, { readonly name?: string }>>>>;
    };
    const broken = new Map<string, string>();
    for (const { summary, detail, about = '' } of refusals) {
      const [, id = ''] = /^data\.aws_dynamodb_table\.([\w-]+)(\.lifecycle\.|$)/.exec(about) ?? [];
      const name = data['aws_dynamodb_table']?.[id]?.name;
      if (name === undefined) return new Map();
      const isCondition = detail.startsWith(`Table ${name}: `);
      const why = isCondition
        ? detail
        : `Table ${name}: expected one that Terraform can read, got: ${detail || summary}. Create it, or take its entry out.`;
      broken.set(name, [broken.get(name), why].filter(Boolean).join('\n'));
    }
    return broken;
  }
}
