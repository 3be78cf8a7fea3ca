import type { FunctionName } from '../functions/function-list.ts';
import { bundleFunctions } from './bundle.ts';

/** tools/package/prebuilt.ts replaces this file in the npm package, which has no bundler. */
export function archiveOf(name: FunctionName): string {
  return bundleFunctions()[name].archive;
}
