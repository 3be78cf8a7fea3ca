import { ListTablesCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { RandomSource } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../../stacks/config/config.ts';
import type { FreshDeployment } from './deployment.ts';
import { sweepingOf } from './sweeping.ts';

/** An edit of what is deployed. After it each table has the items it had, every table is swept as before, and a second plan is empty. */
export interface Edit {
  readonly name: string;
  readonly to: DeploymentConfig;
  /** Everything is taken away but what holds data. */
  readonly removed?: true;
  /** What the plan is refused for, with the remedy; nothing is changed then. */
  readonly refused?: RegExp;
  /** What the apply fails with, which changes no table. */
  readonly fails?: RegExp;
  /** Tables that are swept after it. @default those before */
  readonly sweeps?: readonly string[];
}

const KEPT = { id: { S: 'kept' }, at: { S: 'kept' } };

/** An account in which edits are made, each of them judged by the same rules. */
export class Walk {
  readonly #on: FreshDeployment;
  readonly #breaks: RandomSource;
  /** How many applies have failed half-way. */
  brokenOff = 0;

  /** @param breaks draws which applies break off half-way, and after which call, to be applied again */
  constructor(on: FreshDeployment, breaks: RandomSource) {
    this.#on = on;
    this.#breaks = breaks;
  }

  async make({ name, to, removed, refused, fails, ...edit }: Edit): Promise<void> {
    const { aws, deployment } = this.#on;
    await this.#fill();
    const before = await this.#items();
    const swept = [...(await sweepingOf(aws)).now];
    const sweeps = edit.sweeps ?? swept;
    await deployment.use(to, removed);
    const breaksOff = this.#breaks.next() < 0.5;
    const environment = { TF_CLI_ARGS_apply: `-parallelism=${breaksOff ? 1 : 10}` };

    if (refused !== undefined || fails !== undefined) {
      const plan = await deployment.plan(environment);
      const said = refused === undefined ? (await deployment.apply(environment)).output : plan;
      expect([name, inOneLine(said)]).toEqual([name, expect.stringMatching(refused ?? fails ?? '')]);
      await this.#judge(name, before, swept);
      return;
    }
    if (breaksOff) {
      await this.#breakOff(name, environment);
      // What is to be swept from now on need not be swept yet.
      const still = sweeps.filter(table => swept.includes(table));
      await this.#judge(name, before, still, { isHalfWay: true });
    }
    await deployment.planAndApply(environment).catch(error => {
      throw new Error(`${name}: ${error}`);
    });
    await this.#judge(name, before, sweeps);
  }

  async #breakOff(name: string, environment: Readonly<Record<string, string>>): Promise<void> {
    const { deployment } = this.#on;
    const plan = await deployment.plan(environment);
    if (typeof plan === 'string') throw new Error(`${name}: ${plan}`);
    const changes = Object.values(plan).flat().length;
    if (changes === 0) return;
    const call = 1 + Math.floor(this.#breaks.next() * changes);
    const { status } = await deployment.apply({ ...environment, STUB_AWS_FAIL: `#${call}` });
    if (status !== 0) this.brokenOff += 1;
  }

  async #judge(
    name: string,
    before: readonly string[],
    sweeps: readonly string[],
    { isHalfWay = false } = {},
  ): Promise<void> {
    const after = await this.#items();
    const { now, gaps } = await sweepingOf(this.#on.aws);
    const swept = isHalfWay ? sweeps.filter(table => now.has(table)) : [...now];
    expect({
      ...{ name, lost: before.filter(item => !after.includes(item)), gaps: [...gaps] },
      swept: swept.sort(),
    }).toEqual({ name, lost: [], gaps: [], swept: [...sweeps].sort() });
  }

  /** Puts an item into each table and journal of the account, whoever made it, and whether Terraform still knows it or not. */
  async #fill(): Promise<void> {
    for (const TableName of await this.#tables())
      await this.#on.client.send(new PutItemCommand({ TableName, Item: KEPT }));
  }

  async #items(): Promise<string[]> {
    const items = (await this.#tables()).map(async TableName => {
      const { Items = [] } = await this.#on.client.send(new ScanCommand({ TableName }));
      return Items.map(item => `${TableName}: ${JSON.stringify(item)}`);
    });
    return (await Promise.all(items)).flat();
  }

  async #tables(): Promise<readonly string[]> {
    return (await this.#on.client.send(new ListTablesCommand({}))).TableNames ?? [];
  }
}

const inOneLine = (output: unknown) => String(output).replaceAll(/[\s│╷╵]+/g, ' ');
