import { EVERY_MINUTE, tablesInDefinition } from '../../../stacks/config/deployments.ts';
import type { EmulatedAws } from './proof.ts';

/** What starts sweeps in an emulated account at one moment: the emulator tells it after each call that changed something of it. */
export interface Moment {
  readonly schedules: readonly {
    readonly name: string;
    readonly state: string;
    readonly expression: string;
    readonly machine: string;
    readonly role: string;
  }[];
  readonly machines: readonly {
    readonly arn: string;
    readonly role: string;
    /** Its hash. */
    readonly definition: string;
  }[];
  readonly functions: readonly { readonly arn: string; readonly role: string }[];
  readonly roles: readonly { readonly arn: string; readonly policies: readonly string[] }[];
}

export interface Told {
  readonly moments: readonly Moment[];
  readonly definitions: Readonly<Record<string, string>>;
}

/** What became of the sweeps since it was asked before. */
export interface Sweeping {
  /** The tables that ticks sweep now. */
  readonly now: ReadonlySet<string>;
  /** By table the first reason for which it was not swept in between, although it is before and after that. */
  readonly gaps: ReadonlyMap<string, string>;
}

/** Begins to watch, or goes on. */
export async function sweepingOf({ endpoint }: EmulatedAws): Promise<Sweeping> {
  return sweepingIn((await (await fetch(`${endpoint}/stub/moments`)).json()) as Told);
}

/** @param told the first moment is when it was asked before, the last one is now */
export function sweepingIn({ moments, definitions }: Told): Sweeping {
  const states = moments.map(moment => stateOf(moment, definitions));
  const [first, last] = [states.at(0), states.at(-1)];
  const kept = [...(last?.swept ?? [])].filter(table => first?.swept.has(table));
  const gaps = kept.flatMap(table => {
    const gap = states.find(({ swept }) => !swept.has(table));
    return gap === undefined ? [] : [[table, gap.lacks.join('; ') || 'no schedule is there'] as const];
  });
  return { now: last?.swept ?? new Set(), gaps: new Map(gaps) };
}

/**
 * The tables that ticks sweep: an enabled schedule of every minute has a role that can start its state machine, the definition of that names
 * the table, and its role can call all functions that it names, each of which is there with a role of its own.
 */
function stateOf(
  { schedules, machines, functions, roles }: Moment,
  definitions: Told['definitions'],
): { swept: Set<string>; lacks: string[] } {
  const policies = new Map(roles.map(({ arn, policies: texts }) => [arn, texts]));
  const allows = (role: string, action: string, resource: string) =>
    (policies.get(role) ?? []).some(text => isAllowed(text, action, resource));
  const swept = new Set<string>();
  const lacks: string[] = [];
  for (const { name, state, expression, machine: arn, role } of schedules) {
    if (expression !== EVERY_MINUTE || state !== 'ENABLED') continue;
    const machine = machines.find(each => each.arn === arn);
    if (machine === undefined || !allows(role, 'states:StartExecution', arn)) {
      lacks.push(machine === undefined ? `${name}: no ${arn}` : `${name}: ${role} cannot start ${arn}`);
      continue;
    }
    const definition = definitions[machine.definition] ?? '';
    const broken = functionsIn(definition).filter(called => {
      const found = functions.find(each => each.arn === called);
      const itsOwn = found && policies.get(found.role);
      return !itsOwn?.length || !allows(machine.role, 'lambda:InvokeFunction', called);
    });
    if (broken.length > 0) lacks.push(`${name}: ${machine.role} cannot call ${broken}, or it cannot work`);
    else for (const { tableName } of tablesInDefinition(definition)) swept.add(String(tableName));
  }
  return { swept, lacks };
}

const functionsIn = (definition: string): string[] => [
  ...new Set([...definition.matchAll(/"FunctionName":"([^"]+)"/g)].map(([, arn = '']) => arn)),
];

function isAllowed(policy: string, action: string, resource: string): boolean {
  const { Statement: statements } = JSON.parse(policy) as {
    readonly Statement: readonly {
      readonly Action: readonly string[];
      readonly Resource: readonly string[];
    }[];
  };
  return statements.some(each => each.Action.includes(action) && each.Resource.includes(resource));
}
