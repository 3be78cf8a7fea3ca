import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TerraformRoot } from './support/terraform-root.ts';

/** As Terraform prints it: in a frame, and broken into lines. */
const broken = (end = 'use of closed network connection') => `╷
│ Error: sfn machine: operation error SFN: DescribeStateMachine, exceeded
│ maximum number of attempts, 1, https response error StatusCode: 200,
│ RequestID: 7f, deserialization failed, failed to decode response body, read
│ tcp 127.0.0.1:41526->127.0.0.1:38121: ${end.replace(' network', '\n│ network')}
╵`;
const REFUSED = '╷\n│ Error: REFUSED TO KEEP THE TABLE\n╵';

/**
 * The nth plan fails if there is a file `plan.n`, and says what is in it; an apply likewise. `show.n` is the JSON of the nth plan that
 * changes something: a plan does so as long as such a file is left.
 */
const FAKE = `#!/bin/sh
echo "$1" >> calls
answer="$1.$(grep -c "^$1$" calls)"
if [ -f "$answer" ]; then cat "$answer"; [ "$1" = show ]; exit; fi
[ "$1" = plan ] && [ -f "show.$(($(grep -c "^show$" calls) + 1))" ] && exit 2
exit 0
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
  const root = new TerraformRoot(folder, { endpoint: '', environment: {}, reset: nowhere, stop: nowhere });
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { root, calls };
}

const changes = (actions: Readonly<Record<string, readonly string[]>>) =>
  JSON.stringify({
    resource_changes: Object.entries(actions).map(([address, each]) => ({
      address,
      change: { actions: each },
    })),
  });

test.each(['use of closed network connection', 'connection reset by peer', 'EOF'])(
  'a plan is made again when the connection broke: %s',
  async end => {
    const { root, calls } = rootWith({ 'plan.1': broken(end), 'show.1': changes({ a: ['create'] }) });
    expect(await root.plan()).toEqual({ create: ['a'] });
    expect(calls()).toEqual(['plan', 'plan', 'show']);
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
  ['an error without a word of the transport', '│ Error: state file: unexpected EOF'],
  ['no error that it names', ''],
])('a plan that fails for %s is not', async (_reason, output) => {
  const { root, calls } = rootWith({ 'plan.1': output });
  expect(typeof (await root.plan())).toBe('string');
  expect(calls()).toEqual(['plan']);
});

describe('an apply', () => {
  const BOTH = changes({ a: ['create'], b: ['create'] });

  test('goes on with the rest of its plan when the connection broke', async () => {
    const { root, calls } = rootWith({
      'show.1': BOTH,
      'apply.1': broken(),
      'show.2': changes({ a: ['no-op'], b: ['create'] }),
    });
    expect(await root.deploy()).toEqual({ create: ['a', 'b'] });
    expect(calls()).toEqual(['plan', 'show', 'apply', 'plan', 'show', 'apply', 'plan']);
  });

  test.each([
    ['replace what is half made', changes({ a: ['delete', 'create'] })],
    ['touch something else', changes({ c: ['create'] })],
  ])('does not, if that would %s', async (_what, rest) => {
    const { root, calls } = rootWith({ 'show.1': BOTH, 'apply.1': broken(), 'show.2': rest });
    await expect(root.deploy()).rejects.toThrow('DescribeStateMachine, exceeded');
    expect(calls()).toEqual(['plan', 'show', 'apply', 'plan', 'show']);
  });

  test('that fails for another reason is the end', async () => {
    const { root, calls } = rootWith({ 'show.1': BOTH, 'apply.1': REFUSED });
    await expect(root.deploy()).rejects.toThrow('REFUSED TO KEEP THE TABLE');
    expect(calls()).toEqual(['plan', 'show', 'apply']);
  });
});
