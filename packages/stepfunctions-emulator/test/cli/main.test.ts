import { folderWith } from '../../../../test/support/folder.ts';
import { PASS } from '../api/support.ts';
import { type EmulatorProcess, startEmulator } from '../support/emulator-process.ts';

const running: EmulatorProcess[] = [];
const folder = folderWith({
  'pass.asl.json': PASS,
  'two.json': PASS.replace('"End"', '"X":1,"Y":2,"End"'),
});
afterAll(() => {
  // A test that fails half-way shall not leave a server behind.
  for (const { child } of running) child.kill('SIGKILL');
});

const run = (...args: string[]): EmulatorProcess => {
  const started = startEmulator(args, { cwd: folder });
  running.push(started);
  return started;
};

test.concurrent.each([
  [['--nope'], /^Unknown option '--nope'.*; see --help\n$/],
  [['--port', '70000'], /^--port 70000: .*0 and < 65536.*; choose a free one\n$/],
  [
    ['--definition', 'pass.asl.json', '--type', 'FAST'],
    /^--type: expected STANDARD or EXPRESS, got "FAST"\n$/,
  ],
  [['--definition', 'nope.json'], /^--definition nope\.json: ENOENT.*\n$/],
  [
    ['--definition', 'two.json'],
    /^--definition two\.json: \/States\/A\/X: expected .*; \/States\/A\/Y: expected .*\n$/,
  ],
  [['--functions', 'nope.mjs'], /^--functions nope\.mjs: Cannot find module .*\n$/],
])('%j ends with status 1 and one message', async (args, message) => {
  const { ended, printed } = run(...args);
  expect(await ended).toBe(1);
  expect(printed.stderr).toMatch(message);
  expect(printed.stdout).toBe('');
});

test('a port that is taken is named', async () => {
  const first = run('--port', '0');
  const [, port = ''] = await first.until(/AWS_ENDPOINT_URL_SFN=http:\/\/127\.0\.0\.1:(\d+)/);
  const second = run('--port', port);
  expect(await second.ended).toBe(1);
  expect(second.printed.stderr).toMatch(
    new RegExp(`^--port ${port}: listen EADDRINUSE.*; choose a free one\n$`),
  );
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});
