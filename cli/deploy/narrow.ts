import { entryProblems, InvalidConfigError } from '../../config/config.ts';
import {
  DEFAULT_SWEEP,
  DEPLOYMENT_PROPS,
  type DeploymentProps,
  type FlatProps,
  type PreciseTtlProps,
  propsOfSettings,
  withoutShared,
  withShared,
} from '../../config/props.ts';
import { isObject, under } from '../../expiry/fields.ts';
import { commandLine } from '../../operate/command-line.ts';
import type { LeftTables } from '../../stacks/app.ts';
import { FlagError } from '../flags.ts';
import { DeployError } from './terraform-binary.ts';

/** The entry of a table, as a configuration has it; nobody need have checked it. */
type Entry = DeploymentProps &
  Pick<PreciseTtlProps, 'tableName' | 'sweep' | 'existingTable' | 'archive' | 'events'>;

/** The last deployment, by its outputs. */
export interface Deployed {
  /** Undefined when nothing is deployed, or by a version that did not note it. */
  readonly configuration: { readonly tables: readonly Entry[] } | undefined;
  readonly isThere: boolean;
  readonly streamArns: ReadonlyMap<string, string>;
}

/** Terraform's outputs by their names. */
type Outputs = Readonly<Record<string, { readonly value?: unknown } | undefined>>;

/** Reads what `stacks/app.ts` has written into the outputs. */
export function deployedOf({ configuration, tables }: Outputs): Deployed {
  const streamArns = new Map<string, string>();
  if (isObject(tables?.value)) {
    for (const [name, table] of Object.entries(tables.value)) {
      if (isObject(table) && typeof table['streamArn'] === 'string') streamArns.set(name, table['streamArn']);
    }
  }
  const noted = configuration?.value;
  return {
    configuration: typeof noted === 'string' ? inProps(JSON.parse(noted)) : undefined,
    isThere: tables !== undefined,
    streamArns,
  };
}

/** A version before this one has noted settings, each by its own name. */
function inProps({ tables, ...others }: NonNullable<Deployed['configuration']>): Deployed['configuration'] {
  return { ...others, tables: tables.map(entry => propsOfSettings(entry as FlatProps)) };
}

/** Which tables are as the file has them. */
export interface Choice {
  /** Only these. @default all but the broken ones */
  readonly only?: readonly string[] | undefined;
  /** None of these. */
  readonly broken: ReadonlySet<string>;
}

/** A configuration in which some tables are as they are deployed. */
export interface Narrowed {
  readonly config: Readonly<Record<string, unknown>> & { readonly tables: readonly object[] };
  /** Those of them that Terraform need not read. */
  readonly left: LeftTables;
}

/** How a deployment is reached is as the file says: nothing of it is deployed. */
const REACHED_BY = ['region', 'allowUnknownRegion', 'state', 'provider'];

/**
 * Puts a configuration together of the file and of what was deployed last. The others of `only` stay as they are deployed, with everything
 * that they share: what stands beside the tables is part of the others too. Without `only` the broken ones stay, and what is shared is as
 * the file says. A table that is not deployed yet stays so.
 *
 * @param file what the file exports
 * @throws {FlagError} for a table that is in neither of them
 * @throws {DeployError} when nobody knows what is deployed
 * @throws {InvalidConfigError} for an entry that is wrong
 */
export function narrow(file: unknown, deployed: Deployed, { only, broken }: Choice): Narrowed {
  if (deployed.configuration === undefined && deployed.isThere) {
    throw new DeployError(
      'Tables: expected a deployment that notes its configuration, to leave some of them as they are deployed, got one of an earlier ' +
        `version; run ${commandLine('deploy')} once for all tables.`,
    );
  }
  const written = new Map(chosenEntries(file, only).map(entry => [entry.tableName, entry]));
  const noted = new Map(deployed.configuration?.tables.map(entry => [entry.tableName, entry]));
  for (const name of only ?? []) {
    if (!written.has(name) && !noted.has(name)) {
      const names = [...new Set([...tableNames(file), ...noted.keys()])];
      throw new FlagError(
        `--table: expected one of ${names.join(', ')}, got "${name}"; the configuration lists them`,
      );
    }
  }
  const isAsWritten = (name: string) => !broken.has(name) && (only === undefined || only.includes(name));
  const names = only === undefined ? written.keys() : new Set([...noted.keys(), ...written.keys()]);
  const others = only === undefined ? written : noted;
  const models = [...others.values()].filter(
    ({ tableName }) => isAsWritten(tableName) === (only === undefined),
  );
  const tables = [...names].flatMap(name => {
    const entry = (isAsWritten(name) ? written : noted).get(name);
    if (entry === undefined) return [];
    return [models.includes(entry) ? entry : sharing(entry, models)];
  });
  const left = tables.filter(
    ({ tableName, existingTable }) => existingTable === true && !isAsWritten(tableName),
  );
  return {
    config: { ...besideTables(file, only === undefined ? file : (deployed.configuration ?? file)), tables },
    left: new Map(left.flatMap(entry => reference(entry, deployed))),
  };
}

/** A configuration with the tables that a plan was made of. @param noted as {@link deployedOf} reads it from the plan's outputs */
export function asNoted(file: unknown, noted: NonNullable<Deployed['configuration']>): object {
  return { ...besideTables(file, noted), tables: noted.tables };
}

/** The fields by which the deployment is reached, without its tables. */
export function toReach(file: unknown): object {
  return { ...besideTables(file, {}), tables: [{ tableName: 'reached', partitionKey: 'id' }] };
}

/** Each has what stands beside the tables. @throws {InvalidConfigError} for one that is wrong */
function chosenEntries(file: unknown, only: readonly string[] | undefined): Entry[] {
  const all = entriesOf(file);
  const problems = all.flatMap((entry, index) =>
    only !== undefined && isEntry(entry) && only.includes(entry.tableName)
      ? under('tables', entryProblems(entry, index))
      : [],
  );
  if (problems.length > 0) throw new InvalidConfigError(problems);
  return all
    .filter(isEntry)
    .filter(({ tableName }) => only === undefined || only.includes(tableName))
    .map(entry => withShared(entry, file as object));
}

function entriesOf(file: unknown): readonly unknown[] {
  return isObject(file) && Array.isArray(file['tables']) ? file['tables'] : [];
}

function isEntry(entry: unknown): entry is Entry {
  return isObject(entry) && typeof entry['tableName'] === 'string';
}

function tableNames(file: unknown): string[] {
  return entriesOf(file)
    .filter(isEntry)
    .map(({ tableName }) => tableName);
}

/** Without what deployments have, which each entry has by now. */
function besideTables(file: unknown, shared: unknown): Record<string, unknown> {
  const from = (object: unknown, is: (name: string) => boolean) =>
    Object.entries(isObject(object) ? object : {}).filter(([name]) => is(name));
  const stays = (name: string) =>
    ![...REACHED_BY, ...DEPLOYMENT_PROPS, 'tables'].some(other => other === name);
  return Object.fromEntries([...from(file, name => REACHED_BY.includes(name)), ...from(shared, stays)]);
}

/** An entry with what the others of its deployment share; its own where it has no others. */
function sharing(entry: Entry, models: readonly Entry[]): Entry {
  const sweepOf = (table: Entry) => table.sweep ?? DEFAULT_SWEEP;
  const model = models.find(other => sweepOf(other) === sweepOf(entry));
  if (model === undefined) return entry;
  return withShared(withoutShared(entry) as Entry, model);
}

/** Nothing where its stream is read, and nobody knows which one that is: then Terraform has to look. */
function reference(
  { tableName, archive, events }: Entry,
  { streamArns }: Deployed,
): [string, { streamArn?: string }][] {
  const streamArn = streamArns.get(tableName);
  if (streamArn !== undefined) return [[tableName, { streamArn }]];
  return archive || events ? [] : [[tableName, {}]];
}
