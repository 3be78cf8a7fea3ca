import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellCommand } from '../support/shell-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-deployed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = join(folder, 'precise-ttl.config.json');
writeFileSync(
  config,
  JSON.stringify({ region: 'us-east-1', tables: [{ tableName: 'Sessions', partitionKey: 'id' }] }),
);

/** Runs the command with a Terraform that prints this answer for `output`. */
function deployed(answer: string) {
  const terraform = join(folder, 'terraform');
  writeFileSync(
    terraform,
    `#!/bin/sh\ncase "$*" in\n  version*) echo '{"terraform_version":"1.12.0"}' ;;\n  *" output "*) ${answer} ;;\nesac\n`,
  );
  chmodSync(terraform, 0o755);
  return shellCommand('model')(['--deployed', '--config', config], { TERRAFORM_BINARY_NAME: terraform });
}

test.each([
  [
    'nothing is deployed',
    "echo '{}'",
    /^\nOutputs: expected those of a deployment, got none; run npx precise-ttl deploy --config \S+ first\.\n$/,
  ],
  [
    'Terraform has no state to read',
    "echo 'Error: Backend initialization required' >&2; exit 1",
    /^\nTerraform: expected the outputs of .+, got: Error: Backend initialization required; run terraform init there, or deploy first\.\n$/,
  ],
  [
    'Terraform answers no JSON',
    'echo oops',
    /^\nTerraform: expected the outputs of .+, got: Unexpected token/,
  ],
])('says in one message that %s', async (_what, answer, message) => {
  const ended = await deployed(answer);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).not.toContain('    at ');
});
