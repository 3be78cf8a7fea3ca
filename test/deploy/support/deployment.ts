import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { STACK } from '../../../stacks/app.ts';
import type { DeploymentConfig } from '../../../stacks/config/config.ts';
import { synthesizeToFolder } from '../../support/synthesized.ts';
import { type EmulatedAws, emulatedClient, startEmulatedAws } from './proof.ts';
import { type Actions, type Ended, TerraformRoot } from './terraform-root.ts';

/** What Terraform is told besides. */
type Environment = Readonly<Record<string, string>>;

/** A deployment with a state of its own: Terraform in the folder that `cdktf` would run it in. */
export class Deployment {
  readonly #project = mkdtempSync(join(tmpdir(), 'precise-ttl-project-'));
  readonly #root: TerraformRoot;
  #initialised = false;

  constructor(aws: EmulatedAws) {
    this.#root = new TerraformRoot(join(this.#project, 'cdktf.out/stacks', STACK), aws);
  }

  /** This is the configuration from now on. */
  async use(config: DeploymentConfig, options: { readonly removed?: boolean } = {}): Promise<void> {
    const synthesized = synthesizeToFolder(config, options);
    const { folder } = this.#root;
    mkdirSync(folder, { recursive: true });
    rmSync(join(folder, 'assets'), { recursive: true, force: true });
    cpSync(join(synthesized, 'stacks', STACK), folder, { recursive: true });
    rmSync(synthesized, { recursive: true, force: true });
    if (this.#initialised) return;
    await this.#root.succeed(['init', '-input=false']);
    this.#initialised = true;
  }

  get root(): TerraformRoot {
    return this.#root;
  }

  /** Where Terraform runs. */
  get folder(): string {
    return this.#root.folder;
  }

  terraform(args: readonly string[], environment?: Environment): Promise<Ended> {
    return this.#root.terraform(args, environment);
  }

  /** @returns what the plan would do; or what it was refused for, in one line */
  plan(): Promise<Actions | string> {
    return this.#root.plan();
  }

  /** Applies the last plan. */
  apply(environment?: Environment): Promise<Ended> {
    return this.#root.apply(environment);
  }

  /**
   * Plans and applies a configuration, and plans it again.
   * @returns what was done
   */
  async deploy(config: DeploymentConfig, options: { readonly removed?: boolean } = {}): Promise<Actions> {
    await this.use(config, options);
    return this.#root.deploy();
  }

  remove(): void {
    rmSync(this.#project, { recursive: true, force: true });
  }
}

/** What a test deploys to, and looks at what came of it by. */
export interface FreshDeployment {
  readonly aws: EmulatedAws;
  readonly deployment: Deployment;
  readonly client: DynamoDBClient;
}

/** Starts an emulated AWS for the tests of a block. Each of them finds it empty, with a deployment that has no state yet. */
export function useFreshDeployment(): FreshDeployment {
  const fresh = {} as { aws: EmulatedAws; deployment: Deployment; client: DynamoDBClient };

  beforeAll(async () => {
    fresh.aws = await startEmulatedAws();
    fresh.client = emulatedClient(fresh.aws);
  });

  afterAll(async () => {
    fresh.client?.destroy();
    await fresh.aws?.stop();
  });

  beforeEach(async () => {
    await fresh.aws.reset();
    fresh.deployment = new Deployment(fresh.aws);
  });

  afterEach(() => fresh.deployment.remove());

  return fresh;
}
