import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMMAND_NAMES, COMMANDS, type CommandName } from '../../cli/commands.ts';
import { COMMAND_ACTIONS } from '../../cli/iam-actions.ts';

/** What each command that changes something in an account needs before it would ask. */
const CHANGING: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  adopt: ['--table', 'Sessions'],
  deploy: [],
  destroy: [],
  replay: ['--from', '2026-11-20T08:00:00Z', '--to', '2026-11-20T09:00:00Z'],
  pause: [],
  resume: [],
  limit: ['--off'],
  verify: [],
  backfill: [],
  restore: ['--from-archive', 's3://archive/', '--expires-in', '1d', '--keys', '{"id":{"S":"one"}}'],
};

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-consent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'precise-ttl.config.json'),
  JSON.stringify({
    region: 'us-east-1',
    tables: [{ tableName: 'Sessions', partitionKey: 'id', backfill: true }],
  }),
);
const TERRAFORM = join(folder, 'terraform');
const USED = join(folder, 'used');
writeFileSync(
  TERRAFORM,
  `#!/bin/sh
case "$*" in
  version*) echo '{"terraform_version":"1.12.0"}' ;;
  *) touch '${USED}' ;;
esac
`,
);
chmodSync(TERRAFORM, 0o755);

/** As a script runs it: without a terminal. `endpoint`: of all services. */
async function run(args: readonly string[], endpoint?: string) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [resolve('bin/precise-ttl.js'), ...args], {
    cwd: folder,
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, HOME: folder, AWS_REGION: 'us-east-1' },
      ...{ AWS_EC2_METADATA_DISABLED: 'true', TERRAFORM_BINARY_NAME: TERRAFORM },
      ...(endpoint !== undefined && { AWS_ENDPOINT_URL: endpoint }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stderr: stderr.trim() };
}

const REFUSED = /^--yes: expected it where no terminal is there to ask at, got none; add it/;

test('each command that changes something can be told not to ask, and no other one', async () => {
  const taking: CommandName[] = [];
  for (const name of COMMAND_NAMES) {
    const { flags } = await COMMANDS[name].load();
    if ('yes' in flags) taking.push(name);
  }
  expect(taking.sort()).toEqual(Object.keys(CHANGING).sort());
  const reads = /:(Get|List|Describe|Query|Scan|BatchGet)/;
  const writing = Object.entries(COMMAND_ACTIONS)
    .filter(([, actions]) => actions.some(({ action }) => !reads.test(action)))
    .map(([name]) => name);
  expect(Object.keys(CHANGING)).toEqual(expect.arrayContaining(writing));
});

describe('without a terminal and without --yes', () => {
  beforeEach(() => rmSync(USED, { force: true }));

  test.each(Object.entries(CHANGING))('%s refuses, and changes nothing', async (name, args) => {
    const { flags } = await COMMANDS[name as CommandName].load();
    const { status, stderr } = await run([name, ...args]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(REFUSED)]);
    // A remedy that the command does not know is none.
    expect(stderr.includes('--dry-run')).toBe('dry-run' in flags);
    expect(existsSync(USED)).toBe(false);
  });

  // Terraform has its own way to its endpoints and its state: the SDK's endpoint says nothing of either.
  test.each(['deploy', 'destroy'])('%s refuses also with an endpoint on this machine', async name => {
    const { status, stderr } = await run([name], 'http://127.0.0.1:9');
    expect([status, stderr]).toEqual([2, expect.stringMatching(REFUSED)]);
    expect(existsSync(USED)).toBe(false);
  });

  test.each(['deploy', 'destroy'])('%s goes on with --yes', async name => {
    const { status } = await run([name, '--yes'], 'http://127.0.0.1:9');
    expect([status, existsSync(USED)]).toEqual([0, true]);
  });
});
