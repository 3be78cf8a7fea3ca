/**
 * `Map.groupBy` for Node 20, in code that applications import: it replaces the name in a bundle, and does not change the application's
 * `Map`.
 */
function groupBy<Key, Value>(
  items: Iterable<Value>,
  keyOf: (item: Value, index: number) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export { groupBy, groupBy as 'Map.groupBy' };
