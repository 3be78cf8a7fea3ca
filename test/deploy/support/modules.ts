import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import type { ModuleName } from '../../../stacks/terraform-module/main-json.ts';
import { variableName } from '../../../stacks/terraform-module/terms.ts';
import { writeTerraformModule } from '../../../stacks/terraform-module/write.ts';
import type { EmulatedAws } from './proof.ts';
import { TerraformRoot } from './terraform-root.ts';

/** Values of a module's variables, by name. */
export type Inputs = Readonly<Record<string, unknown>>;

/** The same props as a module takes them. */
export function inputsOf({
  existingTable: _existingTable,
  vpc,
  alarms,
  alarmTopicArn,
  ...props
}: PreciseTtlProps): Inputs {
  return {
    ...withVariableNames(props),
    ...(vpc && { vpc: withVariableNames(vpc) }),
    ...(alarmTopicArn !== undefined && { alarm_topic: { arn: alarmTopicArn } }),
    ...(alarms === false ? { create_alarms: false } : alarms && { alarms: alarmInputs(alarms) }),
  };
}

/** Off is `enabled = false`. */
function alarmInputs(alarms: object): Inputs {
  return withVariableNames(
    Object.fromEntries(
      Object.entries(alarms).map(([alarm, tuning]) => [
        alarm,
        tuning === false ? { enabled: false } : tuning,
      ]),
    ),
  );
}

function withVariableNames(values: object): Inputs {
  return Object.fromEntries(Object.entries(values).map(([prop, value]) => [variableName(prop), value]));
}

const PROVIDER = 'provider "aws" {\n  region = "us-east-1"\n}\n';

/** The modules, written once, and roots that use them. */
export class WrittenModules {
  readonly #folder = mkdtempSync(join(tmpdir(), 'precise-ttl-modules-'));
  readonly #roots: string[] = [];
  readonly #aws: EmulatedAws;

  constructor(aws: EmulatedAws) {
    this.#aws = aws;
    writeTerraformModule(this.#folder);
  }

  /** A root that is a module itself, with a provider beside it; {@link useInputs} gives its inputs. */
  async asRoot(name: ModuleName, inputs: Inputs): Promise<TerraformRoot> {
    const root = this.#root();
    this.useModule(root, name, inputs);
    writeFileSync(join(root.folder, 'provider.tf'), PROVIDER);
    await root.succeed(['init', '-input=false']);
    return root;
  }

  /** From now on the root is this module, with these inputs. */
  useModule(root: TerraformRoot, name: ModuleName, inputs: Inputs): void {
    cpSync(join(this.#folder, name), root.folder, { recursive: true });
    useInputs(root, inputs);
  }

  /** A root with module blocks, by name. */
  async asChildren(blocks: Blocks): Promise<TerraformRoot> {
    const root = this.#root();
    cpSync(this.#folder, join(root.folder, 'modules'), { recursive: true });
    writeFileSync(join(root.folder, 'provider.tf'), PROVIDER);
    useBlocks(root, blocks);
    await root.succeed(['init', '-input=false']);
    return root;
  }

  /** The root of an example. */
  async example(name: ModuleName): Promise<TerraformRoot> {
    const root = this.#root();
    cpSync(this.#folder, root.folder, { recursive: true });
    const example = new TerraformRoot(join(root.folder, 'examples', name), this.#aws);
    await example.succeed(['init', '-input=false']);
    return example;
  }

  /** A root of nothing yet. */
  #root(): TerraformRoot {
    const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-root-'));
    this.#roots.push(folder);
    return new TerraformRoot(folder, this.#aws);
  }

  remove(): void {
    for (const folder of [this.#folder, ...this.#roots]) rmSync(folder, { recursive: true, force: true });
  }
}

export type Blocks = Readonly<Record<string, { readonly module: ModuleName; readonly inputs: Inputs }>>;

export function useInputs(root: TerraformRoot, inputs: Inputs): void {
  writeFileSync(join(root.folder, 'terraform.tfvars.json'), JSON.stringify(inputs));
}

export function useBlocks(root: TerraformRoot, blocks: Blocks): void {
  const module = Object.fromEntries(
    Object.entries(blocks).map(([name, { module: source, inputs }]) => [
      name,
      { source: `./modules/${source}`, ...inputs },
    ]),
  );
  const output = Object.fromEntries(
    Object.entries(blocks).map(([name, { inputs }]) => {
      const isRepeated = 'count' in inputs || 'for_each' in inputs;
      const arn = isRepeated
        ? `[for each in module.${name} : each.state_machine_arn]`
        : `module.${name}.state_machine_arn`;
      return [name, { value: `\${${arn}}` }];
    }),
  );
  mkdirSync(root.folder, { recursive: true });
  writeFileSync(join(root.folder, 'main.tf.json'), JSON.stringify({ module, output }));
}
