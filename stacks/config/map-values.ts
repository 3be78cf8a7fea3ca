export function mapValues<Key extends string, Value, Result>(
  values: Readonly<Record<Key, Value>>,
  map: (value: Value, key: Key) => Result,
): Record<Key, Result> {
  const entries = Object.entries<Value>(values).map(([key, value]) => [key, map(value, key as Key)]);
  return Object.fromEntries(entries) as Record<Key, Result>;
}
