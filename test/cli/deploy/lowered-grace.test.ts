import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeLoweredGraces } from '../../../cli/deploy/lowered-grace.ts';

/** A state machine that sweeps two tables. */
const machine = (graceSeconds: number) => ({
  definition: JSON.stringify({
    States: {
      PlanSweep: {
        Arguments: {
          Payload: {
            tables: [
              { tableName: 'Others', graceSeconds: 60 },
              { tableName: 'Orders', graceSeconds },
            ],
          },
        },
      },
    },
  }),
});
const planned = (...[before, after]: readonly [object | null, object | null]) => ({
  resource_changes: ['sweep', 'replay'].map(address => ({
    address,
    type: 'aws_sfn_state_machine',
    change: { actions: ['update'], before, after },
  })),
});

const LOWERED =
  'Orders: graceSeconds is lowered from 3,600 to 60. The next ticks delete at once what expired longer ago than that and was still in its grace.';

test.each([
  ['lowered', planned(machine(3600), machine(60)), LOWERED],
  ['taken out', planned(machine(3600), machine(0)), LOWERED.replace('60.', '0.')],
  ['raised', planned(machine(60), machine(3600)), ''],
  ['as it is', planned(machine(60), machine(60)), ''],
  ['of a new table', planned(null, machine(60)), ''],
  ['of a table that goes', planned(machine(60), null), ''],
  ['not known yet', planned(machine(3600), {}), ''],
  ['not in a plan', {}, ''],
])('of a grace that is %s', (_what, plan, expected) => {
  expect(describeLoweredGraces(plan)).toBe(expected);
});

test('of a grace that is lowered with the upgrade from a deployment of the table alone', () => {
  const before = { environment: [{ variables: { TABLE_NAME: 'Orders', GRACE_SECONDS: '3600' } }] };
  const plan = {
    resource_changes: [
      { type: 'aws_lambda_function', change: { before, after: null } },
      { type: 'aws_sfn_state_machine', change: { before: null, after: machine(60) } },
    ],
  };
  expect(describeLoweredGraces(plan)).toBe(LOWERED);
});

test.each(['deploy', 'diff'])('%s says so after the plan', async name => {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-grace-'));
  const tables = [{ tableName: 'Orders', partitionKey: 'id', graceSeconds: 60 }];
  const config = join(folder, 'precise-ttl.config.json');
  writeFileSync(config, JSON.stringify({ region: 'us-east-1', tables }));
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(planned(machine(3600), machine(60))));
  const terraform = join(folder, 'terraform');
  writeFileSync(
    terraform,
    `#!/bin/sh
case "$*" in
  "version -json") echo '{"terraform_version":"1.11.4"}' ;;
  *" plan "*) echo the plan; exit 2 ;;
  *" show "*) cat '${join(folder, 'plan.json')}' ;;
  *" apply "*) echo applied ;;
esac
`,
  );
  chmodSync(terraform, 0o755);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  // No service answers there.
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    TERRAFORM_BINARY_NAME: terraform,
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_MAX_ATTEMPTS: '1',
  };
  const args = ['bin/precise-ttl.js', name, '--config', config, ...(name === 'deploy' ? ['--yes'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(
    new RegExp(`^the plan\n\n${LOWERED.replaceAll('.', '\\.')}\n${name === 'deploy' ? 'applied\n' : ''}`),
  );
  rmSync(folder, { recursive: true, force: true });
});
