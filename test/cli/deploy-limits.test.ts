import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endsLimits, showLimits } from '../../cli/deploy/ends-limits.ts';
import { LocalApiServer } from '../../local/api-server.ts';
import { restJson } from '../../local/rest-json.ts';
import { schedulerApi } from '../../local/scheduler/scheduler-api.ts';
import type { ScheduleResource } from '../../local/terraform/synthesized.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-limits-'));
const CONFIG = join(folder, 'precise-ttl.config.json');
writeFileSync(
  CONFIG,
  JSON.stringify({ region: 'us-east-1', tables: [{ tableName: 'Sessions', partitionKey: 'id' }] }),
);

const INPUT = '{"scheduledTime":"<aws.scheduler.scheduled-time>"}';
const LIMITED = INPUT.replace('}', ',"maxDeletesPerSecond":1200}');
const schedule = (id: string): ScheduleResource => ({
  address: id,
  name: `precise-ttl-Sessions-${id}`,
  arn: `arn:aws:scheduler:us-east-1:123456789012:schedule/precise-ttl-Sessions/precise-ttl-Sessions-${id}`,
  expression: 'cron(* * * * ? *)',
  timezone: 'UTC',
  enabled: true,
  targetArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:m',
  roleArn: 'arn:aws:iam::123456789012:role/r',
  input: INPUT,
});

const deployed = {
  schedules: [] as ScheduleResource[],
  updateSchedule(changed: ScheduleResource) {
    this.schedules = this.schedules.map(each => (each.arn === changed.arn ? changed : each));
  },
};
let server: LocalApiServer;
const { env } = process;
beforeAll(async () => {
  server = await LocalApiServer.start(restJson(schedulerApi(deployed, { now: Date.now })));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});
let said: string[];
beforeEach(() => {
  deployed.schedules = ['tick', 'reconcile'].map(schedule);
  process.env = { ...env, AWS_ENDPOINT_URL_SCHEDULER: server.endpoint };
  said = [];
  const listen = (text: unknown) => {
    said.push(String(text));
  };
  jest.spyOn(console, 'log').mockImplementation(listen);
  jest.spyOn(console, 'error').mockImplementation(listen);
});
afterEach(() => {
  process.env = env;
  jest.restoreAllMocks();
});

const limit = (over: Partial<ScheduleResource>) => {
  deployed.schedules = deployed.schedules.map(each => ({ ...each, ...over }));
};
const ENDED = 'Sessions is limited by hand to 1,200 deletes a second: a deployment ends that limit.';

test('without a limit nothing is said, and nobody is asked more', async () => {
  expect(await endsLimits({ config: CONFIG, mayEnd: false }, true)).toBeUndefined();
  await showLimits({ config: CONFIG, mayEnd: false });
  expect(said).toEqual([]);
});

test('a limit is part of the question; where nobody is asked, a flag must say it', async () => {
  limit({ input: LIMITED });
  expect(await endsLimits({ config: CONFIG, mayEnd: false }, false)).toBe(ENDED);
  await expect(endsLimits({ config: CONFIG, mayEnd: false }, true)).rejects.toThrow(
    `--end-limits: expected it where nobody is asked, got none. ${ENDED}`,
  );
  expect(said).toEqual([]);
  expect(await endsLimits({ config: CONFIG, mayEnd: true }, true)).toBeUndefined();
  await showLimits({ config: CONFIG, mayEnd: false });
  expect(said).toEqual([ENDED, `\n${ENDED}`]);
});

test('the start date of a pause that has ended is taken out before a deployment, which could not send it', async () => {
  const [passed, ahead] = [Date.now() - 3_600_000, Date.now() + 3_600_000];
  deployed.schedules = [
    { ...schedule('tick'), startDate: passed },
    { ...schedule('reconcile'), startDate: ahead },
  ];
  await showLimits({ config: CONFIG, mayEnd: false });
  expect(deployed.schedules.map(({ startDate }) => startDate)).toEqual([passed, ahead]);
  expect(await endsLimits({ config: CONFIG, mayEnd: false }, true)).toBeUndefined();
  expect(deployed.schedules.map(({ startDate }) => startDate)).toEqual([undefined, ahead]);
  expect(said).toEqual(['Took the start date of a pause that has ended out of the schedules.']);
});

test('what cannot be looked at keeps nobody from deploying', async () => {
  process.env = { ...process.env, AWS_ENDPOINT_URL_SCHEDULER: 'http://127.0.0.1:9' };
  expect(await endsLimits({ config: CONFIG, mayEnd: false }, true)).toBeUndefined();
  expect(said).toEqual([
    expect.stringMatching(/^Could not look for what was set by hand on the schedules \(.*ECONNREFUSED/),
  ]);
});

test('deploy refuses to end a limit where it does not ask, before it plans', async () => {
  limit({ input: LIMITED });
  const terraform = join(folder, 'terraform');
  writeFileSync(
    terraform,
    `#!/bin/sh
case "$*" in
  version*) echo '{"terraform_version":"1.12.0"}' ;;
  *" plan "*) touch '${folder}/planned'; exit 2 ;;
  *" show "*) echo '{}' ;;
  *" apply "*) touch '${folder}/applied' ;;
esac
`,
  );
  chmodSync(terraform, 0o755);
  const deploy = (...args: string[]) =>
    run(process.execPath, [resolve('bin/precise-ttl.js'), 'deploy', '--config', CONFIG, ...args], {
      env: { ...process.env, TERRAFORM_BINARY_NAME: terraform },
    }).then(
      ({ stderr }) => ({ status: 0, stderr }),
      (error: { code: number; stderr: string }) => ({ status: error.code, stderr: error.stderr }),
    );
  const refused = await deploy('--yes');
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('--end-limits: expected it where nobody is asked');
  expect(existsSync(join(folder, 'planned'))).toBe(false);
  expect(await deploy('--yes', '--end-limits')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(ENDED),
  });
  expect(existsSync(join(folder, 'applied'))).toBe(true);
}, 120_000);
