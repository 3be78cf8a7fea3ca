import { main } from '../../bin/commands.ts';

/**
 * Runs a command in this process, as a script without a terminal does: for all that ends before anything is asked of AWS.
 *
 * @param args the command's name, and what follows it
 * @param environment all of it: whoever runs the tests may be logged in to AWS
 */
export async function executed(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { env, exitCode } = process;
  const isTTY = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY');
  const printed = { stdout: [] as unknown[], stderr: [] as unknown[] };
  const log = jest.spyOn(console, 'log').mockImplementation(text => void printed.stdout.push(text));
  const error = jest.spyOn(console, 'error').mockImplementation(text => void printed.stderr.push(text));
  process.env = { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/no/such/home', ...environment };
  Object.defineProperty(process.stdin, 'isTTY', { value: false, configurable: true });
  try {
    await main(new URL('../../package.json', import.meta.url), args);
    return {
      status: process.exitCode,
      stdout: printed.stdout.join('\n'),
      stderr: printed.stderr.join('\n').trim(),
    };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    if (isTTY === undefined) Reflect.deleteProperty(process.stdin, 'isTTY');
    else Object.defineProperty(process.stdin, 'isTTY', isTTY);
    log.mockRestore();
    error.mockRestore();
  }
}
