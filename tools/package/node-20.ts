/**
 * What the commands use of newer versions of Node, for Node 20. It is bundled in front of them, and is for their own processes
 * only: nothing that applications import has it.
 */

function* grouped<Key, Value>(items: Iterable<Value>, keyOf: (item: Value, index: number) => Key) {
  const groups = new Map<Key, Value[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  yield* groups;
}

// The version of the SDK in the bundle stays what it is, so that its advice for the next one is nobody's to follow.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const older = { map: Map as Partial<MapConstructor>, object: Object as Partial<ObjectConstructor> };

older.map.groupBy ??= (items, keyOf) => new Map(grouped(items, keyOf));
older.object.groupBy ??= (items, keyOf) => {
  const groups = Object.create(null);
  for (const [key, group] of grouped(items, keyOf)) groups[key] = group;
  return groups;
};
