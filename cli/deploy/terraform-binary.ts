import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PreciseTtlError } from '../../expiry/errors.ts';

/** A program that a deployment needs is not installed on this machine. */
export class DeployError extends PreciseTtlError {
  override readonly name = 'DeployError';
}

/** Same version as `required_version` in the stack; checked here before anything is started. */
const MINIMUM = [1, 10] as const;

/** Terraform, or the program that `TERRAFORM_BINARY_NAME` names: the CDKTF CLI reads the same variable. */
export function terraformBinary(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['TERRAFORM_BINARY_NAME'] || 'terraform';
}

/**
 * Checks that Terraform is installed and new enough.
 * @throws {DeployError} saying what to install
 */
export async function requireTerraform(binary: string): Promise<void> {
  const expected = `Terraform ${MINIMUM.join('.')} or newer`;
  const install =
    'install it (https://developer.hashicorp.com/terraform/install), or name another program in TERRAFORM_BINARY_NAME';
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(binary, ['version', '-json'], { timeout: 30_000 }));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const got = missing ? `no program "${binary}"` : `${error}`;
    throw new DeployError(`Terraform: expected ${expected}, got ${got}; ${install}.`);
  }
  const version = terraformVersion(output);
  if (version === undefined) {
    throw new DeployError(`Terraform: expected ${expected}, got "${output.trim()}"; ${install}.`);
  }
  const [major, minor] = version.split('.').map(Number);
  if (
    major === undefined ||
    minor === undefined ||
    major < MINIMUM[0] ||
    (major === MINIMUM[0] && minor < MINIMUM[1])
  ) {
    throw new DeployError(`Terraform: expected ${expected}, got ${version} ("${binary}"); ${install}.`);
  }
}

/** Reads the output of `terraform version -json`; OpenTofu's is the same. */
function terraformVersion(output: string): string | undefined {
  try {
    const { terraform_version: version } = JSON.parse(output) as { terraform_version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
