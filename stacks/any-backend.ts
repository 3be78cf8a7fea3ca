import { TerraformBackend, type TerraformRemoteState, type TerraformStack } from 'cdktf';

/** A Terraform backend with any type and settings, by Terraform's names: CDKTF's classes lack newer backends and settings. */
export class AnyBackend extends TerraformBackend {
  readonly #settings: object;

  constructor(stack: TerraformStack, name: string, settings: object) {
    super(stack, 'backend', name);
    this.#settings = settings;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.#settings };
  }

  /** @throws TypeError always: none of our stacks reads the outputs of another */
  override getRemoteStateDataSource(): TerraformRemoteState {
    throw new TypeError(`AnyBackend: expected nobody to read the outputs in the state of ${this.node.path}`);
  }
}
