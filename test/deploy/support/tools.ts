import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD } from '../stub-provider/build.ts';
import { ended } from './terraform-root.ts';

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

/** Another version knows other checks. */
const VERSION = '3.3.30';

const ENVIRONMENT = join(BUILD, `checkov-${VERSION}`);

/** Installs it, the first time: some minutes. Not beside the emulator, since both want a boto3 of their own. */
export function installCheckov(): void {
  if (existsSync(join(ENVIRONMENT, 'bin/checkov'))) return;
  execFileSync('python3', ['-m', 'venv', ENVIRONMENT]);
  execFileSync(join(ENVIRONMENT, 'bin/pip'), ['install', '--quiet', `checkov==${VERSION}`]);
}

/** @param folder with JSON of Terraform, which has nothing but blocks with names: it reads no `moved`, `removed` and `import` */
export async function checkov(
  folder: string,
): Promise<{ readonly passed: number; readonly failed: ReadonlySet<string> }> {
  const framework = ['--framework', 'terraform_json'];
  const args = ['-d', folder, ...framework, '--skip-download', '--output', 'json', '--soft-fail'];
  // It would report this run.
  const env = { PATH: process.env['PATH'], HOME: folder, BC_SOURCE: 'cli' };
  const { stdout } = await ended(join(ENVIRONMENT, 'bin/checkov'), args, { env });
  const { summary, results } = JSON.parse(stdout) as {
    readonly summary: { readonly passed: number; readonly parsing_errors: number };
    readonly results: { readonly failed_checks: readonly { readonly check_id: string }[] };
  };
  if (summary.parsing_errors > 0) throw new Error(`checkov: expected to read ${folder}, got ${stdout}`);
  return {
    passed: summary.passed,
    failed: new Set(results.failed_checks.map(({ check_id: check }) => check)),
  };
}
