import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfigFile } from '../../config/config-file.ts';
import { printError } from '../print.ts';
import { asNoted, type Deployed, deployedOf, type Narrowed, narrow, toReach } from './narrow.ts';
import { type Refusal, requireTerraform, Terraform, terraformBinary } from './run-terraform.ts';
import { type SynthesizedStack, synthesizeStack } from './synthesized-stack.ts';

export interface PlanningFlags {
  /** Path of the configuration file, as for `loadConfigFile`. */
  readonly config: string | undefined;
  /** Names of the only tables that are deployed as the file describes them. @default all */
  readonly table?: readonly string[];
  /** Synthesizes a stack that removes the deployment but not its tables. It cannot be combined with `table`. @default false */
  readonly removed?: boolean;
  /** A plan exists already, for {@link StackPlan.synthesizeAs}. @default false */
  readonly kept?: boolean;
}

/** The result of {@link StackPlan.plan}. */
export interface Planned {
  /** Whether there are changes; undefined when Terraform refused the plan and has printed the reason. */
  readonly changes: boolean | undefined;
  /** Tables that differ from the configuration and were left out of the plan. */
  readonly broken: readonly string[];
}

/** The stack of a configuration, with Terraform in its folder. */
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
   * Synthesizes the stack. With `table` or `kept` it synthesizes only what is needed to reach the deployment, because the entries
   * of the file may be incomplete; the caller then has to initialize Terraform before it plans.
   *
   * @throws {DeployError} when Terraform is not installed
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
   * Shows the changes of a deployment. If Terraform refuses an existing table, that table stays as it is deployed, and the others
   * are planned without it.
   *
   * @param file absolute path where the plan is saved
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

  /** Synthesizes the stack from which a plan was made: the plan does not contain the functions' archives. */
  async synthesizeAs(plan: string): Promise<void> {
    // Terraform itself refuses to apply a file that is not a plan.
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

  /** Names of the existing tables that are the only reason for a refusal, each with its problem; empty when there is another reason. */
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
