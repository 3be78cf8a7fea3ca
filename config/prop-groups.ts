import { isObject } from '../expiry/fields.ts';

interface Group {
  /** The field that gets the value when it is not an object: `sortKey: 'a'` is `sortKey: { name: 'a' }`. */
  readonly short?: string;
  /** The setting of each field; a table's settings are flat: `index.by` is `indexedBy` there. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Props of a table that have fields, because they concern one subject. The code behind the configuration has each field as a separate
 * setting ({@link flattened}), as the input of executions has.
 */
export const GROUPS = {
  /** the partition key: its name, or `{ name, type }` */
  partitionKey: { short: 'name', fields: { name: 'partitionKey', type: 'partitionKeyType' } },
  /**
   * the sort key: its name, or `{ name, type }`
   * @default the table has none
   */
  sortKey: { short: 'name', fields: { name: 'sortKey', type: 'sortKeyType' } },
  /**
   * the index by which the sweep finds expired items
   * @default the defaults of its fields
   */
  index: {
    fields: {
      by: 'indexedBy',
      attribute: 'windowAttribute',
      name: 'indexName',
      granularityMinutes: 'granularityMinutes',
      shards: 'shards',
    },
  },
} as const satisfies Readonly<Record<string, Group>>;

export type GroupName = keyof typeof GROUPS;

export const GROUP_NAMES = Object.keys(GROUPS) as GroupName[];

const groupsByName: Readonly<Record<string, Group>> = GROUPS;

interface Place {
  readonly group: string;
  readonly field: string;
  readonly isShort: boolean;
}

/** The prop and field of each setting that is not itself a prop. */
const PLACES: ReadonlyMap<string, Place> = new Map([
  ...Object.entries(groupsByName).flatMap(([group, { short, fields }]) =>
    Object.entries(fields).map(
      ([field, setting]) => [setting, { group, field, isShort: field === short }] as const,
    ),
  ),
]);

/** Whether a setting is a field of a prop. */
export function isGrouped(setting: string): boolean {
  return PLACES.has(setting);
}

/** The prop in which a setting is written, with the field: `index.by` for `indexedBy`. */
export function pathOf(setting: string): string {
  const place = PLACES.get(setting);
  return place?.isShort ? place.group : fieldPathOf(setting);
}

/** The prop in which a setting is written, always with the field: `index.by` for `indexedBy`. */
export function fieldPathOf(setting: string): string {
  const place = PLACES.get(setting);
  return place === undefined ? setting : `${place.group}.${place.field}`;
}

/** The settings that are fields of a prop, in order. */
export function settingsIn(prop: string, settings: readonly string[]): string[] {
  return settings.filter(setting => fieldPathOf(setting).split('.')[0] === prop);
}

/** Converts props to flat settings. Unknown props and values of a wrong kind are copied unchanged. */
export function flattened(props: object): Readonly<Record<string, unknown>> {
  const settings = Object.entries(props).flatMap(([name, value]): [string, unknown][] => {
    const { short, fields } = groupsByName[name] ?? {};
    if (fields === undefined) return [[name, value]];
    if (!isObject(value)) return short === undefined ? [] : [[fields[short] ?? name, value]];
    return Object.entries(fields).flatMap(([field, setting]) =>
      value[field] === undefined ? [] : [[setting, value[field]] as [string, unknown]],
    );
  });
  return Object.fromEntries(settings);
}

/**
 * Converts flat settings to props. Settings without a prop are left out.
 * @param names names of the existing props
 */
export function nested(settings: object, names: readonly string[]): Record<string, unknown> {
  const props: Record<string, unknown> = {};
  const add = (prop: string, fields: object) => {
    props[prop] = { ...(props[prop] as object), ...fields };
  };
  for (const [name, value] of Object.entries(settings)) {
    const place = PLACES.get(name);
    if (value === undefined) continue;
    if (isObject(value) && (place === undefined || place.group === name) && names.includes(name))
      add(name, value);
    else if (place !== undefined) add(place.group, { [place.field]: value });
    else if (names.includes(name)) props[name] = value;
  }
  for (const [name, { short }] of Object.entries(groupsByName)) {
    const fields = props[name];
    if (short !== undefined && isObject(fields) && Object.keys(fields).join() === short)
      props[name] = fields[short];
  }
  return props;
}
