import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shellCommand } from '../support/shell-command.ts';

/** A program that prints this text for `terraform version -json`. */
function terraformThatSays(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'precise-ttl-terraform-')), 'terraform');
  writeFileSync(file, `#!/bin/sh\necho '${text}'\n`);
  chmodSync(file, 0o755);
  return file;
}

describe.each(['deploy', 'diff', 'destroy'])('%s', name => {
  test.each([
    [
      'is missing',
      'no-such-terraform',
      /expected Terraform 1\.10 or newer, got no program "no-such-terraform"/,
    ],
    ['is too old', terraformThatSays('{"terraform_version":"1.9.8"}'), /1\.10 or newer, got 1\.9\.8/],
    ['is something else', terraformThatSays('hello'), /1\.10 or newer, got "hello"/],
  ])('says in one line that Terraform %s', async (_what, terraform, expected) => {
    const { status, stderr } = await shellCommand(name)([], { TERRAFORM_BINARY_NAME: terraform });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(expected)]);
  });
});

/** A substitute for Terraform: every plan has changes, and each apply is recorded. */
const TERRAFORM = `#!/bin/sh
case "$*" in
  version*) echo '{"terraform_version":"1.12.0"}' ;;
  *" plan "*) touch "\${1#-chdir=}/precise-ttl.plan"; exit 2 ;;
  *" show "*) echo '{}' ;;
  *" apply "*) touch applied ;;
esac
`;

/** Runs a command in a terminal and types the input: `script` of util-linux. */
const TERMINAL = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

/** The result of a command whose question was answered with these keys. */
async function answered(keys: string) {
  const project = mkdtempSync(join(tmpdir(), 'precise-ttl-question-'));
  try {
    const terraform = join(project, 'terraform');
    writeFileSync(terraform, TERRAFORM);
    chmodSync(terraform, 0o755);
    const tables = [{ tableName: 'Sessions', partitionKey: 'id' }];
    writeFileSync(join(project, 'precise-ttl.config.json'), JSON.stringify({ region: 'us-east-1', tables }));
    const command = `'${process.execPath}' '${resolve('bin/precise-ttl.js')}' deploy; echo $? > status`;
    const child = spawn('script', ['-qc', `trap : INT; ${command}`, '/dev/null'], {
      cwd: project,
      env: { ...process.env, TERRAFORM_BINARY_NAME: terraform },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.endsWith('[y/N] ')) child.stdin.write(keys);
    });
    await once(child, 'exit');
    return {
      status: Number(readFileSync(join(project, 'status'), 'utf8')),
      applied: existsSync(join(project, 'applied')),
      planLeft: existsSync(join(project, 'cdktf.out/stacks/precise-ttl/precise-ttl.plan')),
      says: printed.split('[y/N] ')[1]?.trim().split(/\r?\n/).at(-1),
    };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

(TERMINAL ? describe : describe.skip)('the question of deploy, in a terminal,', () => {
  test.each([
    ['yes', 'y\r', { status: 0, applied: true }],
    ['an empty answer', '\r', { status: 1, applied: false, says: 'Nothing was changed.' }],
    // The plan can contain secrets.
    ['Ctrl-C', '\u0003', { status: 130, applied: false, says: 'Nothing was changed.' }],
  ])('takes %s, and leaves no plan behind', async (_what, keys, expected) => {
    expect(await answered(keys)).toMatchObject({ ...expected, planLeft: false });
  });
});
