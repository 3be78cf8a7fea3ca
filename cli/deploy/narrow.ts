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
import { DeployError } from './run-terraform.ts';

/** The entry of a table in a configuration. It is possibly not validated yet. */
type Entry = DeploymentProps &
  Pick<PreciseTtlProps, 'tableName' | 'sweep' | 'existingTable' | 'archive' | 'events'>;

/** The last deployment, read from its outputs. */
export interface Deployed {
  /** Undefined when nothing is deployed, or if the deployed version did not record its configuration. */
  readonly configuration: { readonly tables: readonly Entry[] } | undefined;
  readonly isThere: boolean;
  readonly streamArns: ReadonlyMap<string, string>;
}

/** Terraform's outputs, by name. */
type Outputs = Readonly<Record<string, { readonly value?: unknown } | undefined>>;

/** Reads the outputs that `stacks/app.ts` has written. */
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

/** Converts a configuration that an earlier version recorded: that version had each setting of a table under a name of its own. */
function inProps({ tables, ...others }: NonNullable<Deployed['configuration']>): Deployed['configuration'] {
  return { ...others, tables: tables.map(entry => propsOfSettings(entry as FlatProps)) };
}

/** Chooses the tables that are deployed as the file describes them. */
export interface Choice {
  /** Only these tables. @default all but the broken ones */
  readonly only?: readonly string[] | undefined;
  /** Tables that are never chosen, because Terraform refuses them. */
  readonly broken: ReadonlySet<string>;
}

/** A configuration in which some tables keep their deployed settings. */
export interface Narrowed {
  readonly config: Readonly<Record<string, unknown>> & { readonly tables: readonly object[] };
  /** Tables with `existingTable` that keep their deployed settings and that Terraform need not read. */
  readonly left: LeftTables;
}

/** Fields that say how to reach the deployment. They are always taken from the file, because they are never deployed. */
const REACHED_BY = ['region', 'allowUnknownRegion', 'state', 'provider'];

/**
 * Combines the configuration file with the last deployment.
 *
 * With `only`, all other tables keep their deployed settings, and so do the props that all tables share. Without `only`, the
 * broken tables keep theirs, and the shared props are taken from the file. A table that is not deployed yet stays undeployed.
 *
 * @param file what the file exports
 * @throws {FlagError} for a table that is neither in the file nor deployed
 * @throws {DeployError} when the deployed configuration is unknown
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

/** The configuration with the tables from which a plan was made. @param noted as {@link deployedOf} reads it from the plan's outputs */
export function asNoted(file: unknown, noted: NonNullable<Deployed['configuration']>): object {
  return { ...besideTables(file, noted), tables: noted.tables };
}

/** A configuration that is only for reaching the deployment: it has one placeholder instead of the real tables. */
export function toReach(file: unknown): object {
  return { ...besideTables(file, {}), tables: [{ tableName: 'reached', partitionKey: 'id' }] };
}

/** The chosen entries, each with the props that all tables share. @throws {InvalidConfigError} for an entry that is wrong */
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

/**
 * The top-level fields of a configuration, except the props that all tables of a deployment share: each entry has those already.
 *
 * @param file source of the fields that say how to reach the deployment
 * @param shared source of the other fields
 */
function besideTables(file: unknown, shared: unknown): Record<string, unknown> {
  const from = (object: unknown, is: (name: string) => boolean) =>
    Object.entries(isObject(object) ? object : {}).filter(([name]) => is(name));
  const stays = (name: string) =>
    ![...REACHED_BY, ...DEPLOYMENT_PROPS, 'tables'].some(other => other === name);
  return Object.fromEntries([...from(file, name => REACHED_BY.includes(name)), ...from(shared, stays)]);
}

/** Gives an entry the shared props of the other tables of its deployment; unchanged if there are no others. */
function sharing(entry: Entry, models: readonly Entry[]): Entry {
  const sweepOf = (table: Entry) => table.sweep ?? DEFAULT_SWEEP;
  const model = models.find(other => sweepOf(other) === sweepOf(entry));
  if (model === undefined) return entry;
  return withShared(withoutShared(entry) as Entry, model);
}

/**
 * The entry in {@link Narrowed.left} for a table. Empty if the deployment reads the table's stream and the ARN of the stream is not
 * known: then Terraform has to read the table.
 */
function reference(
  { tableName, archive, events }: Entry,
  { streamArns }: Deployed,
): [string, { streamArn?: string }][] {
  const streamArn = streamArns.get(tableName);
  if (streamArn !== undefined) return [[tableName, { streamArn }]];
  return archive || events ? [] : [[tableName, {}]];
}
