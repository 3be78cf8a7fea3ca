import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command with a substitute for Terraform. */
async function command(name: string, terraform: string, ...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TERRAFORM_BINARY_NAME: terraform };
  return run(process.execPath, ['bin/precise-ttl.js', name, ...args], { env }).then(
    ({ stdout }) => ({ status: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => ({ ...error, status: error.code }),
  );
}

/** A program that prints this text for `terraform version -json`. */
function terraformThatSays(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'precise-ttl-terraform-')), 'terraform');
  writeFileSync(file, `#!/bin/sh\necho '${text}'\n`);
  chmodSync(file, 0o755);
  return file;
}

describe.each(['deploy', 'diff', 'destroy', 'model --deployed'])('%s', line => {
  const [name = '', ...flags] = line.split(' ');

  test.each([
    [
      'is missing',
      'no-such-terraform',
      /expected Terraform 1\.10 or newer, got no program "no-such-terraform"/,
    ],
    ['is too old', terraformThatSays('{"terraform_version":"1.9.8"}'), /1\.10 or newer, got 1\.9\.8/],
    ['is something else', terraformThatSays('hello'), /1\.10 or newer, got "hello"/],
  ])('says in one line that Terraform %s', async (_what, terraform, expected) => {
    const { status, stderr } = await command(name, terraform, ...flags);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(expected)]);
  });
});
