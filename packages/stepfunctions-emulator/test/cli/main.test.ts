import { folderWith } from '../../../../test/support/folder.ts';
import { main } from '../../src/cli/main.ts';
import { PASS } from '../api/support.ts';
import { type EmulatorProcess, startEmulator } from '../support/emulator-process.ts';

const folder = folderWith({
  'pass.asl.json': PASS,
  'two.json': PASS.replace('"End"', '"X":1,"Y":2,"End"'),
});
const workingDirectory = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(workingDirectory));

test.each([
  [['--nope'], /^Unknown option '--nope'.*; see --help$/],
  [['--port', '70000'], /^--port 70000: .*0 and < 65536.*; choose a free one$/],
  [['--definition', 'pass.asl.json', '--type', 'FAST'], /^--type: expected STANDARD or EXPRESS, got "FAST"$/],
  [['--definition', 'nope.json'], /^--definition nope\.json: ENOENT.*$/],
  [
    ['--definition', 'two.json'],
    /^--definition two\.json: \/States\/A\/X: expected .*; \/States\/A\/Y: expected .*$/,
  ],
  [['--functions', 'nope.mjs'], /^--functions nope\.mjs: Cannot find module .*/],
])('%j ends with status 1 and one message', async (args, message) => {
  const printed = [jest.spyOn(console, 'error'), jest.spyOn(console, 'log')].map(each =>
    each.mockReturnValue(),
  );
  await main(args);
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  expect(printed.map(({ mock }) => mock.calls)).toEqual([[[expect.stringMatching(message)]], []]);
  jest.restoreAllMocks();
});

test('a port that is taken is named', async () => {
  const running: EmulatorProcess[] = [];
  const run = (...args: string[]): EmulatorProcess => {
    const started = startEmulator(args);
    running.push(started);
    return started;
  };
  try {
    const first = run('--port', '0');
    const [, port = ''] = await first.until(/AWS_ENDPOINT_URL_SFN=http:\/\/127\.0\.0\.1:(\d+)/);
    const second = run('--port', port);
    expect(await second.ended).toBe(1);
    expect(second.printed.stdout).toBe('');
    expect(second.printed.stderr).toMatch(
      new RegExp(`^--port ${port}: listen EADDRINUSE.*; choose a free one\\n$`),
    );
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  } finally {
    // A test that fails half-way shall not leave a server behind.
    for (const { child } of running) child.kill('SIGKILL');
  }
});
