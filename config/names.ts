import type { FieldProblem } from '../expiry/errors.ts';
import {
  ALL_FUNCTIONS,
  fileOf,
  STREAM_FUNCTIONS,
  type StreamFunctionName,
} from '../functions/function-list.ts';
import type { DestinationName } from '../functions/publish-expiries/destinations.ts';
import { TASKS } from '../statemachine/contract/machines.ts';

/** The ids that a stack of ours uses for other constructs than tables. */
const TAKEN_IDS: readonly string[] = ['aws', 'backend', ...ALL_FUNCTIONS.map(task => bundleId(fileOf(task)))];

/** Construct id of a function's archive. */
export function bundleId(file: string): string {
  return `bundle-${file}`;
}

/**
 * Construct id of a table's `PreciseTtl`: the table's name, unless Terraform would refuse the names made from it (they begin with a letter
 * or `_`; constructs leave out other characters that Terraform refuses), or another construct has that id. The other form contains a
 * colon, which no table's name has.
 */
export function constructId(tableName: string): string {
  const begins = tableName.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, 1);
  // Constructs keep their children in a plain object, which inherits names such as toString.
  const taken = TAKEN_IDS.includes(tableName) || tableName in Object.prototype;
  return /[A-Za-z_]/.test(begins) && !taken ? tableName : `table:${tableName}`;
}

/** Name of the state machine that replays a deployment's tables. */
export function replayName(deployment: string): string {
  return `${deployment}-replay`;
}

/** Name of a deployment's queue for starts that failed. */
export function deadLetterQueueOf(deployment: string): string {
  return `${deployment}-dead-letters`;
}

/** Name of the queue for records that a function of the stream gave up. */
export function failureQueueOf(name: StreamFunctionName, table: { readonly name: string }): string {
  return `${table.name}-${name === 'ArchiveExpiries' ? 'archive' : 'event'}-failures`;
}

/**
 * Longest prefix of a bucket's name: Terraform adds 26 characters, and a name has at most 63. Source: the provider's documents; S3 User
 * Guide.
 */
const MAX_PREFIX = 37;
const ENDING = '-archive-';

/** The prefix of a bucket's name, with only lower-case letters, digits and hyphens, and without a beginning that S3 reserves. */
export function bucketPrefixOf(name: string): string {
  const begin = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_PREFIX - ENDING.length)
    .replace(/-$/, '');
  return begin === '' ? ENDING.slice(1) : `${begin}${ENDING}`;
}

/** The names of a table and its deployment, to which the table must not send its events. */
interface OwnNames {
  readonly name: string;
  readonly sweep: string;
}

/** Names of the functions that a table and its deployment have, or could have. */
function ownFunctions(table: OwnNames): string[] {
  return ALL_FUNCTIONS.map(name => `${name in TASKS ? table.sweep : table.name}-${fileOf(name)}`);
}

/** Names of the queues for failures of a table and its deployment. */
function ownQueues(table: OwnNames): string[] {
  const readers = Object.keys(STREAM_FUNCTIONS) as StreamFunctionName[];
  return [deadLetterQueueOf(table.sweep), ...readers.map(name => failureQueueOf(name, table))];
}

/** Resources of a deployment that have the same kind as a destination of events. */
interface OwnResources {
  readonly names: (table: OwnNames) => string[];
  /** Index of the resource's name among the parts of its ARN. A function's ARN may end in `function:NAME:VERSION`. */
  readonly part: number;
}

/** By destination: the deployment's own resources, which must not be the destination. Undefined if it has none of this kind. */
const OWN_RESOURCES: Readonly<Record<DestinationName, OwnResources | undefined>> = {
  eventBus: undefined,
  queueArn: { names: ownQueues, part: 5 },
  functionArn: { names: ownFunctions, part: 6 },
  streamArn: undefined,
};

/**
 * Whether events would go to a resource of this deployment: to one of its functions, or to a queue for failures, where they would look
 * like failures.
 */
export function isOwnDestination(destination: DestinationName, arn: string, table: OwnNames): boolean {
  const own = OWN_RESOURCES[destination];
  return own?.names(table).includes(arn.split(':')[own.part] ?? '') ?? false;
}

/** A deployment or a table whose names can conflict with those of another. */
export interface Named {
  /** Description for a message. */
  readonly who: string;
  /** The field of the name, and the name. */
  readonly field: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly stateMachines: readonly string[];
}

/** The fields of a table from which names are made. */
export interface NamedTable {
  readonly tableName: string;
  readonly name: string;
  /** Its archive. @default none */
  readonly archive?: object;
  readonly events?: object;
}

/** The names of a table's own resources; test/config/names.test.ts compares them with the synthesized ones. */
export function namesOfTable(field: string, { tableName, name, archive, events }: NamedTable): Named {
  const roles = [
    ...(archive === undefined ? [] : [`${name}-${STREAM_FUNCTIONS.ArchiveExpiries}`]),
    ...(events === undefined ? [] : [`${name}-${STREAM_FUNCTIONS.PublishExpiries}`]),
  ];
  return {
    who: `table ${tableName}`,
    field,
    name,
    roles,
    stateMachines: [],
  };
}

/** The names of a deployment's resources. */
export function namesOfDeployment(field: string, name: string): Named {
  return {
    who: `deployment ${name}`,
    field,
    name,
    roles: [...Object.values(TASKS).map(task => `${name}-${task}`), sweepRole(name), `${name}-schedule`],
    stateMachines: [name, replayName(name)],
  };
}

/** Name of the role of a deployment's state machines. */
export function sweepRole(deployment: string): string {
  return `${deployment}-sweep`;
}

/**
 * Finds a name that two sweeps would share; undefined when there is none. Only roles and state machines can conflict: some of their
 * suffixes end alike, or one has no suffix. IAM's names do not differ by case. Source: IAM API reference, CreateRole.
 */
function shared(own: Named, others: Named): { readonly what: string; readonly name: string } | undefined {
  const takenRoles = others.roles.map(role => role.toLowerCase());
  const role = own.roles.find(each => takenRoles.includes(each.toLowerCase()));
  if (role !== undefined) return { what: 'role', name: role };
  const machine = own.stateMachines.find(each => others.stateMachines.includes(each));
  return machine === undefined ? undefined : { what: 'state machine', name: machine };
}

/** The problem that names conflict with others; null when there is none. */
export function nameProblem(own: Named, other: Named): FieldProblem | null {
  const both = shared(own, other);
  if (both === undefined) return null;
  const { what, name } = both;
  const why = what === 'role' ? '; IAM sees no difference in case' : '';
  return {
    field: own.field,
    expected: `a name whose ${what}s are not those of ${other.who}`,
    got: own.name,
    remedy: `The ${other.who} and the ${own.who} would both have the ${what} ${name}${why}. Give one of them a deployment of another name.`,
  };
}
