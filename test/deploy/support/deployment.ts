import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';
import { STACK } from '../../../stacks/app.ts';
import type { DeploymentConfig } from '../../../stacks/config/config.ts';
import { folderWith } from '../../support/folder.ts';
import { synthesizeToFolder } from '../../support/synthesized.ts';
import { type EmulatedAws, startEmulatedAws } from './proof.ts';
import { type Actions, TerraformRoot } from './terraform-root.ts';

/** A deployment with a state of its own: Terraform in the folder that `cdktf` would run it in. */
export class Deployment extends TerraformRoot {
  #initialised = false;

  constructor(aws: EmulatedAws) {
    super(join(folderWith(), 'cdktf.out/stacks', STACK), aws);
  }

  /** This is the configuration from now on. */
  async use(config: DeploymentConfig, removed = false): Promise<void> {
    const synthesized = synthesizeToFolder(config, { removed });
    mkdirSync(this.folder, { recursive: true });
    rmSync(join(this.folder, 'assets'), { recursive: true, force: true });
    cpSync(join(synthesized, 'stacks', STACK), this.folder, { recursive: true });
    rmSync(synthesized, { recursive: true, force: true });
    if (!this.#initialised) await this.succeed(['init', '-input=false']);
    this.#initialised = true;
  }

  /**
   * Plans and applies a configuration, and plans it again.
   * @returns what was done
   */
  async deploy(config: DeploymentConfig, removed = false): Promise<Actions> {
    await this.use(config, removed);
    return this.planAndApply();
  }
}

/** What a test deploys to, and looks at what came of it by. */
export interface FreshDeployment {
  readonly aws: EmulatedAws;
  readonly deployment: Deployment;
  /** For what users do to their tables beside Terraform. */
  readonly client: DynamoDBClient;
}

/**
 * Starts an emulated AWS for the tests of a block. Each of them finds it empty, with a deployment that has no state yet. At the end all calls
 * of the provider are held against AWS's models of its services.
 */
export function useFreshDeployment(): FreshDeployment {
  const fresh = {} as { aws: EmulatedAws; deployment: Deployment; client: DynamoDBClient };

  beforeAll(async () => {
    fresh.aws = await startEmulatedAws();
    fresh.client = localDynamoDb(fresh.aws.endpoint, 'us-east-1');
  });

  afterAll(async () => {
    fresh.client?.destroy();
    await fresh.aws?.stop();
    expect(fresh.aws?.callProblems()).toBe('');
  });

  beforeEach(async () => {
    await fresh.aws.reset();
    fresh.deployment = new Deployment(fresh.aws);
  });

  return fresh;
}
