import type { FunctionName } from '../functions/function-list.ts';
import { bundleBackfill, bundleFunctions, bundleStreamFunctions } from './bundle.ts';

/**
 * Where a function's archive lies. In the package tools/package/prebuilt-archives.ts is in the place of this file, so that whoever
 * installs it needs no bundler.
 */
export function archiveOf(name: FunctionName): string {
  switch (name) {
    case 'PlanBackfill':
    case 'BackfillSegment':
      return bundleBackfill()[name].archive;
    case 'ArchiveExpiries':
    case 'PublishExpiries':
      return bundleStreamFunctions()[name].archive;
    default:
      return bundleFunctions()[name].archive;
  }
}
