import type { FunctionName } from '../functions/function-list.ts';
import { bundleFunctions } from './bundle.ts';

/** In the npm package, which has no bundler, tools/package/prebuilt.ts replaces this file. */
export function archiveOf(name: FunctionName): string {
  return bundleFunctions()[name].archive;
}
