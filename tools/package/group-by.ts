/** `Map.groupBy` for Node 20, for what applications import: it takes the place of the name in a bundle, and their own `Map` stays as it is. */
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
