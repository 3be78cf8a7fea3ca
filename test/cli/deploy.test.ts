import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { projectFolder } from '../../cli/terraform.ts';
import { CONFIG_FILES } from '../../stacks/config/config-file.ts';
import { shellCommand } from '../support/shell.ts';

test.each([
  ...CONFIG_FILES.map(name => [name, '/repo']),
  ['prod.json', '/repo/precise-ttl.prod'],
  ['prod.config.ts', '/repo/precise-ttl.prod.config'],
])('what is made of %s lies in %s, so that no two share a state', (name, folder) => {
  expect(projectFolder(`/repo/${name}`)).toBe(folder);
});

test('says in one line that Terraform is missing', async () => {
  const { status, stderr } = await shellCommand('deploy')([], { TERRAFORM_BINARY_NAME: 'no-such-terraform' });
  expect([status, stderr.trim()]).toEqual([
    2,
    expect.stringMatching(
      /^Terraform: expected Terraform 1\.10 or newer, got "no program no-such-terraform"\. Inst.*$/,
    ),
  ]);
});

/** A substitute for Terraform: it notes its arguments and the answer to its question, locks a provider, and ends with 3. */
const TERRAFORM = `#!/bin/sh
case "$*" in
  version) ;;
  *" init "*) echo "$@" >> "$(dirname "$0")/runs"; cat "\${1#-chdir=}/.terraform.lock.hcl" >> "$(dirname "$0")/runs" 2>&1; echo new > "\${1#-chdir=}/.terraform.lock.hcl" ;;
  *) echo "$@" >> "$(dirname "$0")/runs"; read answer; echo "$answer" >> "$(dirname "$0")/runs"; exit 3 ;;
esac
`;

describe('with Terraform, deploy', () => {
  let project: string;
  const stack = () => join(project, 'cdktf.out/stacks/precise-ttl');
  const lock = () => join(project, '.terraform.lock.hcl');

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'precise-ttl-deploy-'));
    writeFileSync(join(project, 'terraform'), TERRAFORM);
    chmodSync(join(project, 'terraform'), 0o755);
    const tables = [{ tableName: 'Sessions', partitionKey: 'id' }];
    writeFileSync(join(project, 'precise-ttl.config.json'), JSON.stringify({ region: 'us-east-1', tables }));
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  /** @returns the exit status, and what Terraform noted after `init` */
  async function deploy(...args: string[]) {
    const child = spawn(process.execPath, [resolve('bin/precise-ttl.js'), 'deploy', ...args], {
      cwd: project,
      env: { ...process.env, TERRAFORM_BINARY_NAME: join(project, 'terraform') },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.end('yes\n');
    const [status] = await once(child, 'exit');
    const [init, locked, ...runs] = readFileSync(join(project, 'runs'), 'utf8').trim().split('\n');
    expect(init).toBe(`-chdir=${stack()} init -input=false`);
    return { status, locked, runs };
  }

  test('applies, leaves the question to Terraform, and ends as it ends', async () => {
    expect(await deploy()).toMatchObject({ status: 3, runs: [`-chdir=${stack()} apply`, 'yes'] });
    expect(existsSync(join(stack(), 'cdk.tf.json'))).toBe(true);
  });

  test.each([
    ['to apply', ['--', '-auto-approve', '--', '-x'], 'apply -auto-approve -- -x'],
    ['to plan with --diff', ['--diff', '--', '-out=p'], 'plan -out=p'],
  ])('passes what stands behind -- on %s', async (_what, args, expected) => {
    expect((await deploy(...args)).runs[0]).toBe(`-chdir=${stack()} ${expected}`);
  });

  test('--json has the folder and the status, and a wrong configuration is no change of the plan', async () => {
    const run = (...args: string[]) =>
      shellCommand('deploy')(['--config', join(project, 'precise-ttl.config.json'), ...args], {
        TERRAFORM_BINARY_NAME: join(project, 'terraform'),
      });
    expect(JSON.parse((await run('--json')).stdout)).toEqual({ folder: stack(), exit: 3 });
    writeFileSync(join(project, 'precise-ttl.config.json'), '{}');
    const status = async (...args: string[]) => (await run(...args)).status;
    expect([await status('--diff'), await status('--diff', '--', '-detailed-exitcode')]).toEqual([2, 1]);
  });

  test('--destroy applies a stack that only forgets the table', async () => {
    expect((await deploy('--destroy')).runs[0]).toBe(`-chdir=${stack()} apply`);
    const { resource, removed } = JSON.parse(readFileSync(join(stack(), 'cdk.tf.json'), 'utf8'));
    expect(resource).toBeUndefined();
    expect(removed).toContainEqual(
      expect.objectContaining({ from: expect.stringMatching(/^aws_dynamodb_table\.Sessions_/) }),
    );
  });

  test("keeps the provider's lock beside the configuration, and takes another provider when it is deleted", async () => {
    expect((await deploy()).locked).toMatch(/No such file/);
    expect(readFileSync(lock(), 'utf8')).toBe('new\n');
    rmSync(join(project, 'runs'));
    expect((await deploy()).locked).toBe('new');
    rmSync(join(project, 'runs'));
    rmSync(lock());
    expect((await deploy()).locked).toMatch(/No such file/);
  });
});
