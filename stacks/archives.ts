import { type AnyTaskName, isBackfillTask } from '../statemachine/backfill-contract.ts';
import { bundleBackfill, bundleFunctions } from './bundle.ts';

/**
 * Where a function's archive lies. In the package package/prebuilt-archives.ts is in the place of this file, so that whoever
 * installs it needs no bundler.
 */
export function archiveOf(task: AnyTaskName): string {
  return (isBackfillTask(task) ? bundleBackfill()[task] : bundleFunctions()[task]).archive;
}
