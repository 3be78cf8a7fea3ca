import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { requireTerraform, terraformBinary } from './terraform-binary.ts';

export interface CdktfOptions {
  /** Do not ask. Without a terminal nobody could answer, and the CDKTF CLI ends with a stack. */
  readonly approve: boolean;
  /** Further environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a command of the CDKTF CLI on the project in the current folder, in this terminal.
 *
 * @returns its exit status
 * @throws {DeployError} when there is no Terraform that it can run
 */
export async function runCdktf(
  command: 'deploy' | 'diff',
  { approve, environment = {} }: CdktfOptions,
): Promise<number> {
  await requireTerraform(terraformBinary(process.env));
  const approval = command === 'deploy' && approve ? ['--auto-approve'] : [];
  return runProgram(process.execPath, [cdktfCli(), command, ...approval], environment);
}

/** Writes `cdktf.out`; what is printed goes to stderr, so that stdout stays for an answer. */
export function synth(): Promise<number> {
  return runProgram(process.execPath, [cdktfCli(), 'synth'], {}, ['ignore', process.stderr, process.stderr]);
}

/** @returns the exit status; 1 when a signal ended it */
export async function runProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  stdio: 'inherit' | ['ignore', NodeJS.WriteStream, NodeJS.WriteStream] = 'inherit',
): Promise<number> {
  const child = spawn(program, args, {
    stdio,
    // CHECKPOINT_DISABLE: neither Terraform nor the CDKTF CLI tell their maker of this run. The CLI's own use of an old Node
    // API is nothing that its user could mend.
    env: { ...process.env, CHECKPOINT_DISABLE: '1', NODE_NO_WARNINGS: '1', ...environment },
  });
  // A terminal sends Ctrl-C to the child too: it ends in its own way, and we with its status.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const [status] = (await once(child, 'exit')) as [number | null];
    return status ?? 1;
  } finally {
    process.off('SIGINT', ignore);
  }
}

function cdktfCli(): string {
  return createRequire(import.meta.url).resolve('cdktf-cli/bundle/bin/cdktf');
}
