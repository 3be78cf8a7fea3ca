import { groupBy } from './group-by.ts';

/**
 * Functions of newer Node versions that the commands use, for Node 20. The code is bundled in front of the commands, and affects only
 * their own processes: modules that applications import do not contain it.
 */

// The version of the SDK in the bundle is fixed, so its advice to upgrade Node is useless to users.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const older = { map: Map as Partial<MapConstructor>, object: Object as Partial<ObjectConstructor> };

older.map.groupBy ??= groupBy;
older.object.groupBy ??= (items, keyOf) => {
  const groups = Object.create(null);
  for (const [key, group] of groupBy(items, keyOf)) groups[key] = group;
  return groups;
};
