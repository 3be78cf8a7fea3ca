import type { TaskName } from '../statemachine/contract.ts';
import { bundleFunctions } from './bundle.ts';

/**
 * Where a function's archive lies. In the package package/prebuilt-archives.ts is in the place of this file, so that whoever
 * installs it needs no bundler.
 */
export function archiveOf(task: TaskName): string {
  return bundleFunctions()[task].archive;
}
