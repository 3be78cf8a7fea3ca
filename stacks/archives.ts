import type { FunctionName } from '../functions/function-list.ts';
import { bundleFunctions, bundleStreamFunctions } from './bundle.ts';

/**
 * Path of a function's archive. In the npm package tools/package/prebuilt-archives.ts replaces this file, so that users need no bundler.
 */
export function archiveOf(name: FunctionName): string {
  switch (name) {
    case 'ArchiveExpiries':
    case 'PublishExpiries':
      return bundleStreamFunctions()[name].archive;
    default:
      return bundleFunctions()[name].archive;
  }
}
