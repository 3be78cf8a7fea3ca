import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../cli/deploy.ts';
import { CONFIG_FILES } from '../../stacks/config/config-file.ts';
import { configOf } from '../support/configs.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';

test.each([
  ...CONFIG_FILES.map(name => [name, '/repo']),
  ['prod.json', '/repo/precise-ttl.prod'],
  ['prod.config.ts', '/repo/precise-ttl.prod.config'],
])('what is made of %s lies in %s, so that no two share a state', (name, folder) => {
  expect(projectFolder(`/repo/${name}`)).toBe(folder);
});

test('says in one line that Terraform is missing', async () => {
  const { status, stderr } = await executed(['deploy'], { TERRAFORM_BINARY_NAME: 'no-such-terraform' });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^Terraform: expected Terraform 1\.10 or newer, got "no program no-such-terraform"\. Inst.*$/,
    ),
  ]);
});

const project = folderWith({
  'precise-ttl.config.json': JSON.stringify(configOf({ tableName: 'Sessions', partitionKey: 'id' })),
  '.terraform.lock.hcl': 'kept',
});

// Real Terraform is in test/deploy/commands.deploy.ts.
test('deploy uses the lock of the provider that is kept; a wrong configuration is no change of the plan', async () => {
  const config = join(project, 'precise-ttl.config.json');
  const folder = join(project, 'cdktf.out/stacks/precise-ttl');
  const deploy = (...args: string[]) =>
    executed(['deploy', '--config', config, ...args], { TERRAFORM_BINARY_NAME: 'true' });
  const { status, stdout } = await deploy('--json');
  expect([status, JSON.parse(stdout)]).toEqual([0, { folder, exit: 0 }]);
  expect(readFileSync(join(folder, '.terraform.lock.hcl'), 'utf8')).toBe('kept');
  writeFileSync(config, '{}');
  expect((await deploy('--diff')).status).toBe(2);
  expect((await deploy('--diff', '--', '-detailed-exitcode')).status).toBe(1);
});
