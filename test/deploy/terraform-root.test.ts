import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TerraformRoot } from './support/terraform-root.ts';

const line = (message: object) => JSON.stringify(message);
const error = (summary: string, detail = '') =>
  line({ type: 'diagnostic', diagnostic: { severity: 'error', summary, detail } });

const broken = (end = 'use of closed network connection') =>
  error(
    'updating aws_sfn_state_machine',
    `operation error SFN: DescribeStateMachine, exceeded maximum number of attempts, 1, https response error StatusCode: 200, RequestID: 7f, deserialization failed, failed to decode response body, read tcp 127.0.0.1:41526->127.0.0.1:38121: ${end}`,
  );
const REFUSED = error('REFUSED TO KEEP THE TABLE');

/** The nth plan says what is in the file `plan.n`, and fails if that has an error; an apply likewise. */
const FAKE = `#!/bin/sh
echo "$1" >> calls
answer="$1.$(grep -c "^$1$" calls)"
[ -f "$answer" ] || exit 0
cat "$answer"
! grep -qE '"error"|Error:' "$answer"
`;

const folders: string[] = [];
const { TERRAFORM_BINARY_NAME } = process.env;
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  if (TERRAFORM_BINARY_NAME === undefined) delete process.env['TERRAFORM_BINARY_NAME'];
  else process.env['TERRAFORM_BINARY_NAME'] = TERRAFORM_BINARY_NAME;
});

/** A root whose Terraform answers so: `{ 'plan.1': '…' }`. */
function rootWith(answers: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-fake-terraform-'));
  folders.push(folder);
  const binary = join(folder, 'terraform');
  writeFileSync(binary, FAKE);
  chmodSync(binary, 0o755);
  process.env['TERRAFORM_BINARY_NAME'] = binary;
  for (const [name, text] of Object.entries(answers)) writeFileSync(join(folder, name), text);
  const nowhere = async () => undefined;
  const root = new TerraformRoot(folder, {
    endpoint: '',
    environment: {},
    attachedIn: async () => ({}),
    reset: nowhere,
    stop: nowhere,
  });
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { root, calls };
}

const changes = (actions: Readonly<Record<string, string>>) =>
  Object.entries(actions)
    .map(([addr, action]) => line({ type: 'planned_change', change: { resource: { addr }, action } }))
    .join('\n');
/** From here on something is changed. */
const BEGUN = line({ type: 'apply_start' });

test('a plan tells what would be changed, and not what would be read or imported', async () => {
  const all = {
    c: 'create',
    b: 'create',
    d: 'read',
    e: 'noop',
    f: 'import',
    g: 'move',
    h: 'replace',
    i: 'remove',
  };
  const { root } = rootWith({ 'plan.1': changes(all) });
  expect(await root.plan()).toEqual({ create: ['b', 'c'], replace: ['h'], forget: ['i'] });
});

test('a plan that is refused says where, and why', async () => {
  const diagnostic = {
    ...{ severity: 'error', summary: 'Instance cannot be destroyed', detail: 'Resource\nx has' },
    ...{ address: 'x["a"]', range: { filename: 'm.tf' }, snippet: { code: 'resource "x" {' } },
  };
  const warning = { severity: 'warning', summary: 'Deprecated', detail: '' };
  const said = [warning, diagnostic].map(each => line({ type: 'diagnostic', diagnostic: each })).join('\n');
  const { root } = rootWith({ 'plan.1': said });
  expect(await root.plan()).toBe(
    'Error: Instance cannot be destroyed with x["a"], on m.tf resource "x" { Resource x has',
  );
});

test.each(['use of closed network connection', 'connection reset by peer', 'EOF'])(
  'a plan is made again when the connection broke: %s',
  async end => {
    const { root, calls } = rootWith({ 'plan.1': broken(end), 'plan.2': changes({ a: 'create' }) });
    expect(await root.plan()).toEqual({ create: ['a'] });
    expect(calls()).toEqual(['plan', 'plan']);
  },
);

test('but three times at the most', async () => {
  const answers = [1, 2, 3, 4].map(call => [`plan.${call}`, broken()]);
  const { root, calls } = rootWith(Object.fromEntries(answers));
  expect(await root.plan()).toContain('read tcp 127.0.0.1:41526->127.0.0.1:38121: use of closed network');
  expect(calls()).toEqual(['plan', 'plan', 'plan', 'plan']);
});

test.each([
  ['another reason', REFUSED],
  ['another reason besides', `${broken()}\n${REFUSED}`],
  ['an answer that is wrong', broken('unexpected token')],
  ['an error without a word of the transport', error('state file', 'unexpected EOF')],
  ['no error that it names', 'Error: in no line of JSON'],
])('a plan that fails for %s is not', async (_reason, output) => {
  const { root, calls } = rootWith({ 'plan.1': output });
  expect(typeof (await root.plan())).toBe('string');
  expect(calls()).toEqual(['plan']);
});

describe('an apply', () => {
  const BOTH = changes({ a: 'create', b: 'create' });
  const brokenHalfWay = [BOTH, BEGUN, broken()].join('\n');

  test('is made again when the connection broke before anything was changed', async () => {
    const { root, calls } = rootWith({ 'apply.1': broken(), 'apply.2': BOTH });
    expect(await root.deploy()).toEqual({ create: ['a', 'b'] });
    expect(calls()).toEqual(['apply', 'apply', 'plan']);
  });

  test('goes on with the rest of its plan when the connection broke', async () => {
    const { root, calls } = rootWith({
      'apply.1': brokenHalfWay,
      'plan.1': changes({ a: 'noop', b: 'create' }),
    });
    expect(await root.deploy()).toEqual({ create: ['a', 'b'] });
    expect(calls()).toEqual(['apply', 'plan', 'apply', 'plan']);
  });

  test.each([
    ['replace what is half made', changes({ a: 'replace' })],
    ['touch something else', changes({ c: 'create' })],
  ])('does not, if that would %s', async (_what, rest) => {
    const { root, calls } = rootWith({ 'apply.1': brokenHalfWay, 'plan.1': rest });
    await expect(root.deploy()).rejects.toThrow('DescribeStateMachine, exceeded');
    expect(calls()).toEqual(['apply', 'plan']);
  });

  test('that fails for another reason is the end', async () => {
    const { root, calls } = rootWith({ 'apply.1': [BOTH, BEGUN, REFUSED].join('\n') });
    await expect(root.deploy()).rejects.toThrow('REFUSED TO KEEP THE TABLE');
    expect(calls()).toEqual(['apply']);
  });
});
