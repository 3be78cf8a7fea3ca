import { execFileSync } from 'node:child_process';

/** What these tests need and do not find. */
export function missingTools(): string[] {
  return ['terraform', 'go', 'python3'].filter(tool => {
    try {
      execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
}
