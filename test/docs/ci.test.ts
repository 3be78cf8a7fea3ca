// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of a workflow
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { COMMANDS } from '../../bin/commands.ts';
import { folderWith } from '../support/folder.ts';
import { commandsIn } from '../support/proposed-commands.ts';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const trust = readFileSync('docs/files/trust-policy.json', 'utf8');
const workflow = parse(readFileSync('docs/files/github-actions.yml', 'utf8')) as {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const { plan, deploy } = workflow.jobs as { plan: Job; deploy: Job };
const steps = Object.values(workflow.jobs).flatMap(job => job.steps);

test('each action has a version, and each command is one of ours, with flags that it has', async () => {
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  const commands = steps.flatMap(({ run = '' }) => commandsIn(run));
  expect(commands.map(([, , name]) => name)).toEqual(['deploy', 'deploy']);
  const { parse: read } = await COMMANDS.deploy.load();
  for (const [, , , ...args] of commands) read(args.slice(0, args.indexOf('--')));
});

test('what is deployed is the file that was planned, after an approval, and never from a pull request; nothing may write', () => {
  const [out = ''] = /[\w-]+\.plan/.exec(plan.steps.find(({ id }) => id === 'plan')?.run ?? '') ?? [];
  const upload = plan.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
  const download = deploy.steps.find(({ uses }) => uses?.startsWith('actions/download-artifact@'));
  expect(workflow.permissions).toEqual({});
  for (const { permissions } of [plan, deploy])
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(upload?.with?.['path']).toBe(out);
  expect(download?.with?.['name']).toBe(upload?.with?.['name']);
  expect(deploy.steps.at(-1)?.run).toBe(`npx precise-ttl deploy -- "$PWD/${out}"`);
  expect(deploy.environment).toBe('production');
  expect(deploy.needs).toBe('plan');
  expect(plan.outputs).toEqual({ status: '${{ steps.plan.outputs.status }}' });
  expect(deploy.if).toBe("github.event_name == 'push' && needs.plan.outputs.status == '2'");
  expect(upload?.if).toBe("github.event_name == 'push' && steps.plan.outputs.status == '2'");
  expect(JSON.parse(trust).Statement[0].Action).toBe('sts:AssumeRoleWithWebIdentity');
  expect(trust).toContain('"repo:acme/sessions:environment:production"');
});

const folder = folderWith();

test.each([
  [0, true],
  [1, false],
  [2, true],
  [127, false],
])('a plan that ends with %d is told, and goes on: %p', (status, goesOn) => {
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nexit ${status}\n`, { mode: 0o755 });
  const output = join(folder, 'output');
  const script = plan.steps.find(({ id }) => id === 'plan')?.run ?? '';
  // As GitHub runs it.
  const ended = spawnSync('bash', ['-e', '-c', script], {
    env: { PATH: `${folder}:${process.env['PATH']}`, GITHUB_OUTPUT: output },
  });
  expect(ended.status === 0).toBe(goesOn);
  expect(readFileSync(output, 'utf8')).toBe(`status=${status}\n`);
  rmSync(output);
});
