import { TerraformBackend, type TerraformRemoteState, type TerraformStack } from 'cdktf';

/** Where Terraform keeps the state, with the settings as Terraform calls them: CDKTF's classes are older than some backends and settings. */
export class AnyBackend extends TerraformBackend {
  readonly #settings: object;

  constructor(stack: TerraformStack, name: string, settings: object) {
    super(stack, 'backend', name);
    this.#settings = settings;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.#settings };
  }

  /** @throws TypeError always: no stack of ours reads the outputs of another */
  override getRemoteStateDataSource(): TerraformRemoteState {
    throw new TypeError(`AnyBackend: expected nobody to read the outputs in the state of ${this.node.path}`);
  }
}
