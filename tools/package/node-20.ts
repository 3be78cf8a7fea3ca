import { groupBy } from './group-by.ts';

/**
 * Functions of newer versions of Node that the commands use, for Node 20. It is bundled in front of them, and is for their own processes
 * only: nothing that applications import has it.
 */

// The version of the SDK in the bundle stays what it is, so that its advice for the next one is nobody's to follow.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const older = { map: Map as Partial<MapConstructor>, object: Object as Partial<ObjectConstructor> };

older.map.groupBy ??= groupBy;
older.object.groupBy ??= (items, keyOf) => {
  const groups = Object.create(null);
  for (const [key, group] of groupBy(items, keyOf)) groups[key] = group;
  return groups;
};
