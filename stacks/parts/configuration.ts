import { isDeepStrictEqual } from 'node:util';
import { Token } from 'cdktf';
import { isObject } from '../../expiry/fields.ts';
import { type FlatProps, PROP_NAMES, propsOfSettings, resolveProps } from '../config/props.ts';
import { escaped } from '../config/terraform-text.ts';
import type { SweptTable } from './swept-table.ts';

/**
 * The configuration of a deployment that a team has made by the construct or the module, as a value for an output. Commands such as
 * `status` read the file of `terraform output -json config > precise-ttl.config.json`. Each table has `existingTable: true`.
 */
export function configurationOf(region: string, tables: readonly SweptTable[]): object {
  return { region, tables: tables.map(entryOf) };
}

function entryOf({ props, tableName }: SweptTable): unknown {
  const { partitionKey, indexedBy } = props;
  const byDefault = resolveProps({ tableName: props.tableName, partitionKey, indexedBy });
  const set = PROP_NAMES.filter(name => !isDeepStrictEqual(props[name], byDefault[name]));
  const written = { ...Object.fromEntries(set.map(name => [name, props[name]])), partitionKey, indexedBy };
  const entry = propsOfSettings({ ...written, tableName: props.tableName } as FlatProps);
  return { ...(literals(entry) as object), tableName, existingTable: true };
}

export function literals(value: unknown): unknown {
  if (typeof value === 'string') return Token.isUnresolved(value) ? value : escaped(value);
  if (Array.isArray(value)) return value.map(literals);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, literals(each)]));
}
