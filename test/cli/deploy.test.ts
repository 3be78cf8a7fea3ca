import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../cli/terraform.ts';
import { CONFIG_FILES } from '../../stacks/config/config-file.ts';
import { configOf } from '../support/configs.ts';
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

/** A substitute for Terraform: it notes its arguments and the provider's lock, locks another provider, and ends with 3. */
const TERRAFORM = `#!/bin/sh
lock="\${1#-chdir=}/.terraform.lock.hcl"
case "$*" in
  version) ;;
  *" init "*) cat "$lock" >> "$(dirname "$0")/runs" 2>&1; echo new > "$lock" ;;
  *) echo "$@" >> "$(dirname "$0")/runs"; exit 3 ;;
esac
`;

test("deploy hands on what stands behind --, ends as Terraform ends, and keeps the provider's lock", async () => {
  const project = mkdtempSync(join(tmpdir(), 'precise-ttl-deploy-'));
  const config = join(project, 'precise-ttl.config.json');
  const folder = join(project, 'cdktf.out/stacks/precise-ttl');
  writeFileSync(join(project, 'terraform'), TERRAFORM);
  chmodSync(join(project, 'terraform'), 0o755);
  writeFileSync(config, JSON.stringify(configOf({ tableName: 'Sessions', partitionKey: 'id' })));
  const deploy = async (...args: string[]) => {
    const environment = { TERRAFORM_BINARY_NAME: join(project, 'terraform') };
    const { status, stdout } = await shellCommand('deploy')(['--config', config, ...args], environment);
    return [status, stdout === '' ? '' : JSON.parse(stdout)];
  };
  const runs = () => {
    const noted = readFileSync(join(project, 'runs'), 'utf8').trim().split('\n');
    rmSync(join(project, 'runs'));
    return noted;
  };
  const none = expect.stringMatching(/No such file/);
  try {
    expect(await deploy('--json', '--', '-auto-approve', '--', '-x')).toEqual([3, { folder, exit: 3 }]);
    expect(runs()).toEqual([none, `-chdir=${folder} apply -auto-approve -- -x`]);
    expect(await deploy('--diff', '--', '-out=p')).toEqual([3, '']);
    expect(runs()).toEqual(['new', `-chdir=${folder} plan -out=p`]);
    rmSync(join(project, '.terraform.lock.hcl'));
    expect(await deploy('--destroy')).toEqual([3, '']);
    expect(runs()).toEqual([none, `-chdir=${folder} apply`]);
    expect(JSON.parse(readFileSync(join(folder, 'cdk.tf.json'), 'utf8'))).not.toHaveProperty('resource');
    // A wrong configuration is no change of the plan.
    writeFileSync(config, '{}');
    const [[plain], [detailed]] = [
      await deploy('--diff'),
      await deploy('--diff', '--', '-detailed-exitcode'),
    ];
    expect([plain, detailed]).toEqual([2, 1]);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
