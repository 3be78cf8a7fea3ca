// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of a workflow and of Athena
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { COMMANDS } from '../../bin/commands.ts';
import { monthlyCost } from '../../cli/cost.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel, MAX_SHARDS } from '../../expiry/model.ts';
import { MINUTES_PER_DAY } from '../../expiry/window.ts';
import { onlyExpiries } from '../../functions/only-expiries/handler.ts';
import type { Overrides } from '../../stacks/config/config.ts';
import { configOf } from '../support/configs.ts';
import { folderWith } from '../support/folder.ts';
import { codeBlocks, commandsIn } from '../support/proposed-commands.ts';
import { streamRecord } from '../support/stream-records.ts';
import { type TerraformJson, terraformJson } from '../support/synthesized.ts';
import { expiriesOf } from './consumer.ts';

const text = readFileSync('docs/archive-and-events.md', 'utf8');
const DATE = Date.parse('2026-11-22T10:00:00Z');

test('the table has the fields of an event and of a line, in their order', () => {
  const item = { id: { S: 'a' }, ttl: { N: String(DATE / 1000) } };
  const record = streamRecord({ place: 1, item, at: DATE / 1000 });
  const piped = { table: 'SessionData', ttlAttribute: 'ttl', to: 'archive', oldImage: true, record } as const;
  const compressed = {
    ...record,
    dynamodb: { ...record.dynamodb, OldImage: { ...item, large: { S: '\u0001'.repeat(200_000) } } },
  };
  const fields = [
    piped,
    { ...piped, to: 'queue', record: compressed } as const,
    { ...piped, record: compressed },
  ].flatMap(each => onlyExpiries([each]).flatMap(event => Object.keys(event)));
  expect(fieldsIn('### The event')).toEqual([...new Set(fields)]);
});

/** The names in the table of a section. */
function fieldsIn(heading: string): string[] {
  const [, section = ''] = text.split(`${heading}\n`);
  const rows = section.split(/\n#+ /)[0]?.match(/^\| `[^|]*/gm) ?? [];
  return rows.flatMap(row => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

test('the folders are those of the deployment', () => {
  const { resource } = terraformJson(
    configOf({ tableName: 'SessionData', partitionKey: 'id', archive: true }),
  );
  const [stream] = Object.values(resource['aws_kinesis_firehose_delivery_stream'] ?? {});
  const { prefix = '' } = (stream?.['extended_s3_configuration'] ?? {}) as { readonly prefix?: string };
  const folder = prefix.replace(/^\$\{[^}]*\}/, 'SessionData');
  expect(text).toContain(
    `\`${folder.replace('SessionData', '<table>').replace('!{timestamp:yyyy-MM-dd}', '2026-11-22')}\``,
  );
  expect(readFileSync('docs/files/athena.sql', 'utf8')).toContain(
    `'storage.location.template' = 's3://BUCKET/${folder.replace('!{timestamp:yyyy-MM-dd}', '${day}')}'`,
  );
});

test('what 10,000 expiries a minute cost is what the calculator says', () => {
  const dollarsOf = (props: object, name: string) =>
    monthlyCost([{ tableName: 'SessionData', partitionKey: 'id', ...props }], {
      ...{ itemsPerMonth: 432e6, itemBytes: 400, renewalsPerItem: 0, lifetimeHours: 24 },
    })
      .bill.lines.filter(line => line.name.startsWith(name))
      .reduce((sum, { dollars }) => sum + dollars, 0)
      .toFixed(0);
  const events = { events: { to: 'arn:aws:sqs:us-east-1:123456789012:q' } };
  const said = [...text.matchAll(/^\| [^|]+ \| \$(\d+) \|$/gm)].map(([, dollars]) => dollars);
  expect(said).toEqual([
    dollarsOf(events, 'deletes of items'),
    dollarsOf(events, 'pipes'),
    dollarsOf(events, 'OnlyExpiries'),
    dollarsOf({ archive: true }, 'Firehose'),
    dollarsOf(events, 'OnlyExpiries'),
  ]);
});

test('the consumer of the stream on the page is that of consumer.ts, and gets the expiries', () => {
  const source = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
  const shown = source.replace("'../../expiry/index.ts'", "'precise-ttl'");
  expect(codeBlocks('docs/archive-and-events.md', 'ts')).toContain(shown);
  const item = { UserName: { S: 'a' }, SessionId: { N: '1' }, ttl: { N: '1790000000' } };
  const expired = streamRecord({ place: 1, item, at: 1_790_000_001 });
  const deleted = streamRecord({ place: 2, item, at: 1_789_999_999 });
  expect(expiriesOf({ Records: [deleted, expired] })).toEqual([expired]);
});

// A writer in another language has the format in docs/use.md, and window.py, which makes what expiryAttributes makes.

const PAGE = 'docs/use.md';
const [modelOfPage = ''] = codeBlocks(PAGE, 'json');

test('the model of the page is one, and its example is right', () => {
  const [, key, sort, ttl, window] =
    /\(`(\w+)`, `(\w+)`\) that\s+expires\s+at\s+(\d+)\s+has\s+the\s+window\s+`([^`]+)`/.exec(
      readFileSync(PAGE, 'utf8'),
    ) ?? [];
  const props: ExpiryModelProps = JSON.parse(modelOfPage);
  const item = { [String(props.partitionKey)]: key, [String(props.sortKey)]: sort };
  const expiresAt = Number(ttl);
  expect(
    expiryAttributes(expiryModel(props), item, { expiresAt, nowMs: (expiresAt - 60) * 1000 }),
  ).toMatchObject({ expirationWindow: window });
});

/** Items' keys in the texts that are hashed, and as the document client has them. */
const KEYS: readonly (readonly (readonly [text: string, plain: unknown])[])[] = [
  [['S:a', 'a']],
  [['S:世界 🎫\u0000"', '世界 🎫\u0000"']],
  [[`N:-${10n ** 37n}`, -(10n ** 37n)]],
  [['B:AP9/', new Uint8Array([0, 255, 127])]],
  [
    ['S:a', 'a'],
    ['N:7', 7n],
  ],
];
const INDEXES: readonly Partial<ExpiryModelProps>[] = [
  { indexedBy: 'second' },
  ...[1, 45, MINUTES_PER_DAY].flatMap(granularityMinutes =>
    [1, 2, 1_000, MAX_SHARDS].map(shards => {
      return {
        indexedBy: 'window',
        windowAttribute: 'expirationWindow',
        granularityMinutes,
        shards,
      } as const;
    }),
  ),
];
/** On the edges of a day and beside them, and between them in the year 4907. */
const TTLS = [1_795_219_199, 1_795_219_200, 1_795_219_201, 92_700_012_345];
const CASES = INDEXES.flatMap(index =>
  KEYS.flatMap(key =>
    TTLS.map(ttl => {
      const names = ['pk', 'sk'].slice(0, key.length);
      const [partitionKey = '', sortKey] = names;
      const model = { partitionKey, ...(sortKey && { sortKey }), ttlAttribute: 'expiresAt', ...index };
      const item = Object.fromEntries(key.map(([, plain], at) => [names[at], plain]));
      const times = { expiresAt: ttl, nowMs: (ttl - 60) * 1000 };
      const expected = expiryAttributes(expiryModel(model as ExpiryModelProps), item, times);
      return { model, ttl, key: key.map(([text]) => text), expected };
    }),
  ),
);

const PYTHON = `import json, sys
from window import expiry
for line in sys.stdin.buffer:
    case = json.loads(line)
    print(json.dumps(expiry(case["model"], case["ttl"], *case["key"])))
`;

const cwd = folderWith({
  'window.py': readFileSync('docs/files/window.py', 'utf8'),
  'expiry-model.json': modelOfPage,
  'driver.py': PYTHON,
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('docs/files/window.py is not tested: it needs python3.');
(hasPython ? test : test.skip)('window.py makes what expiryAttributes makes', () => {
  const input = CASES.map(each => `${JSON.stringify(each)}\n`).join('');
  const { stdout, stderr } = spawnSync('python3', ['driver.py'], { cwd, input, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(`[${stdout.trim().split('\n')}]`)).toEqual(CASES.map(({ expected }) => expected));
});

const TABLES = ['Sessions', 'Tokens'].map(tableName => ({ tableName, partitionKey: 'id' }));
const PLAIN = terraformJson(configOf(...TABLES));

/** Types of the resources that an example changes. */
const changed = ({ resource }: TerraformJson) =>
  Object.keys(resource).filter(
    type => JSON.stringify(resource[type]) !== JSON.stringify(PLAIN.resource[type]),
  );

test('of overrides there are four examples, and each changes these types', () => {
  const examples = codeBlocks('docs/reference/configuration.md', 'ts').filter(code =>
    /^overrides:/.test(code),
  );
  const synthesized = examples.map(code => {
    const { overrides } = runInNewContext(`({ ${code} })`) as { overrides: Overrides };
    return terraformJson({ ...configOf(...TABLES), overrides });
  });
  expect(synthesized.map(changed)).toEqual([
    ['aws_lambda_function'],
    ['aws_cloudwatch_log_group', 'aws_dynamodb_table', 'aws_iam_role'],
    ['aws_dynamodb_table'],
    ['aws_iam_role', 'aws_lambda_function'],
  ]);
});

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
