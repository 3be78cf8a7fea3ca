import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import type { Pipe } from './pipe-props.ts';

const TAKEN_IDS = {
  stack: ['aws', 'backend', ...ALL_FUNCTIONS.map(task => bundleId(fileOf(task)))],
  construct: [
    ...['place', 'journal', 'sweep', 'replay', 'schedules', 'pipes', 'alarms', 'dashboard', 'queries'],
    ...ALL_FUNCTIONS.map(fileOf),
  ],
};

export function bundleId(file: string): string {
  return `bundle-${file}`;
}

/** The id of a table's construct: the table's name or, if the name is taken or Terraform refuses its first character, `table:NAME`. */
export function constructId(tableName: string, scope: keyof typeof TAKEN_IDS): string {
  const begins = tableName.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, 1);
  // Constructs keep their children in a plain object, so no child may have the name of an inherited property such as `toString`.
  const taken = TAKEN_IDS[scope].includes(tableName) || tableName in Object.prototype;
  return /[A-Za-z_]/.test(begins) && !taken ? tableName : `table:${tableName}`;
}

export function replayName(deployment: string): string {
  return `${deployment}-replay`;
}

export function tickName(deployment: string): string {
  return `${deployment}-tick`;
}

export function deadLetterQueueOf(deployment: string): string {
  return `${deployment}-dead-letters`;
}

/**
 * Longest prefix of a bucket's name. Terraform appends 26 characters, and a bucket's name may have 63. Sources: documents of Terraform's
 * AWS provider; S3 User Guide.
 */
const MAX_PREFIX = 37;
const ENDING = '-archive-';

export function bucketPrefixOf(name: string): string {
  const begin = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_PREFIX - ENDING.length)
    .replace(/-$/, '');
  return begin === '' ? ENDING.slice(1) : `${begin}${ENDING}`;
}

export function isOwnTarget(arn: string, deployment: string): boolean {
  const [, , , , , first = '', second] = arn.split(':');
  const own = [
    ...ALL_FUNCTIONS.map(name => `${deployment}-${fileOf(name)}`),
    ...[deployment, replayName(deployment), deadLetterQueueOf(deployment), `${deployment}-alarms`],
  ];
  return own.includes(second ?? first);
}

export function pipeName(table: { readonly name: string }, { id }: Pick<Pipe, 'id'>): string {
  return `${table.name}-${id}`;
}

/** The beginning of the names of a deployment's pipes and delivery streams: `tablePrefix` may keep only their first 36 characters. */
export function beginningOf(deployment: string): string {
  return deployment.length <= LONGEST_WHOLE ? `${deployment}-` : deployment.slice(0, LONGEST_WHOLE);
}

const LONGEST_WHOLE = 35;
