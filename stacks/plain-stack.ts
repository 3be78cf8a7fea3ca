import { TerraformAsset } from 'cdktf';
import { RootConstruct } from 'constructs';
import { ALL_FUNCTIONS, fileOf } from '../functions/function-list.ts';
import { PreciseTtlStack, STACK, withoutDeprecations } from './app.ts';
import { bundleFunctions } from './bundle.ts';
import { checkConfig } from './config/config.ts';
import { bundleId } from './config/names.ts';

export type Blocks = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

export interface PlainStack {
  readonly region: string;
  /** Terraform's resources, with the configuration's `overrides`. A reference has the form `${type.id.attribute}`. */
  readonly resource: Blocks;
  readonly data: Blocks;
  readonly output: Readonly<Record<string, { readonly value: unknown }>>;
  /** Absolute paths of the functions' archives, by their argument `filename`. The files are deleted when the process ends. */
  readonly archives: Readonly<Record<string, string>>;
}

export function plainStack(config: unknown): PlainStack {
  const checked = checkConfig(config);
  const stack = new PreciseTtlStack(new RootConstruct(), STACK, checked);
  const { resource, data, output } = withoutDeprecations(() => stack.toTerraform());
  const archives = ALL_FUNCTIONS.flatMap(name => {
    const asset = stack.node.tryFindChild(bundleId(fileOf(name)));
    return asset instanceof TerraformAsset ? [[asset.path, bundleFunctions()[name].archive]] : [];
  });
  return { region: checked.region, resource, data, output, archives: Object.fromEntries(archives) };
}
