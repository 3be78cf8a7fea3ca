import type { RandomSource } from 'stepfunctions-emulator';
import { type HeldThing, HeldThings, lost } from './held-things.ts';
import type { EmulatedAws } from './proof.ts';
import { sweepingOf } from './sweeping.ts';
import type { TerraformRoot } from './terraform-root.ts';

/** An edit of what is deployed. After it whatever holds something has what it held, every table is swept as before, and a second plan is empty. */
export interface Edit {
  readonly name: string;
  /** Writes it into the folder of a root. */
  readonly make: () => Promise<TerraformRoot>;
  /** What the plan is refused for, with the remedy; nothing is changed then. */
  readonly refused?: RegExp;
  /** What the apply fails with, which changes nothing that holds something. */
  readonly fails?: RegExp;
  /** Tables that are swept after it. @default those before */
  readonly sweeps?: readonly string[];
}

/** An account in which edits are made, each of them judged by the same rules. */
export class Walk {
  readonly #aws: EmulatedAws;
  readonly #things: HeldThings;
  readonly #breaks: RandomSource;
  /** How many applies have failed half-way. */
  brokenOff = 0;

  /** @param breaks draws which applies break off half-way, and after which call, to be applied again */
  constructor(aws: EmulatedAws, breaks: RandomSource) {
    this.#aws = aws;
    this.#things = new HeldThings(aws);
    this.#breaks = breaks;
  }

  async make(edit: Edit): Promise<void> {
    const before = await this.#things.fill();
    const { now: swept } = await sweepingOf(this.#aws);
    const root = await edit.make();
    const breaksOff = this.#breaks.next() < 0.5;
    const environment = { TF_CLI_ARGS_apply: `-parallelism=${breaksOff ? 1 : 10}` };

    if (edit.refused !== undefined) {
      expect([edit.name, await root.plan(environment)]).toEqual([
        edit.name,
        expect.stringMatching(edit.refused),
      ]);
      await this.#judge(edit, before, [...swept]);
      return;
    }
    if (edit.fails !== undefined) {
      expect(await root.plan(environment)).toEqual(expect.any(Object));
      const { output } = await root.apply(environment);
      expect([edit.name, inOneLine(output)]).toEqual([edit.name, expect.stringMatching(edit.fails)]);
      await this.#judge(edit, before, [...swept]);
      return;
    }
    const sweeps = edit.sweeps ?? [...swept];
    if (breaksOff) {
      await this.#breakOff(root, environment);
      // What is to be swept from now on need not be swept yet.
      const still = sweeps.filter(table => swept.has(table));
      await this.#judge(edit, before, still, { isHalfWay: true });
    }
    await root.deploy(environment).catch(error => {
      throw new Error(`${edit.name}: ${error}`);
    });
    await this.#judge(edit, before, sweeps);
  }

  async #breakOff(root: TerraformRoot, environment: Environment): Promise<void> {
    const plan = await root.plan(environment);
    if (typeof plan === 'string') throw new Error(plan);
    const changes = Object.values(plan).flat().length;
    if (changes === 0) return;
    const call = 1 + Math.floor(this.#breaks.next() * changes);
    const { status } = await root.apply({ ...environment, STUB_AWS_FAIL: `#${call}` });
    if (status !== 0) this.brokenOff += 1;
  }

  async #judge(
    { name }: Edit,
    before: readonly HeldThing[],
    sweeps: readonly string[],
    { isHalfWay = false } = {},
  ): Promise<void> {
    const gone = lost(before, await this.#things.inventory());
    expect([name, 'lost', gone.map(({ kind, name: which }) => `${kind} ${which}`)]).toEqual([
      name,
      'lost',
      [],
    ]);
    const { now, gaps } = await sweepingOf(this.#aws);
    expect([name, 'meanwhile', [...gaps]]).toEqual([name, 'meanwhile', []]);
    const swept = isHalfWay ? sweeps.filter(table => now.has(table)) : [...now];
    expect([name, 'swept', swept.sort()]).toEqual([name, 'swept', [...sweeps].sort()]);
  }

  destroy(): void {
    this.#things.destroy();
  }
}

type Environment = Readonly<Record<string, string>>;

const inOneLine = (output: string) => output.replaceAll(/[\s│╷╵]+/g, ' ');
