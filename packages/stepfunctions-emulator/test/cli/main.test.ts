import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { folderWith } from '../../../../test/support/folder.ts';
import { main } from '../../src/cli/main.ts';
import { PASS } from '../api/support.ts';

const folder = folderWith({
  'pass.asl.json': PASS,
  'two.json': PASS.replace('"End"', '"X":1,"Y":2,"End"'),
});
const workingDirectory = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(workingDirectory));

async function endsWith(args: string[], message: RegExp): Promise<void> {
  const printed = [jest.spyOn(console, 'error'), jest.spyOn(console, 'log')].map(each =>
    each.mockReturnValue(),
  );
  await main(args);
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  expect(printed.map(({ mock }) => mock.calls)).toEqual([[[expect.stringMatching(message)]], []]);
  jest.restoreAllMocks();
}

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
])('%j ends with status 1 and one message', endsWith);

test('a port that is taken is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await endsWith(
    ['--port', `${port}`],
    new RegExp(`^--port ${port}: listen EADDRINUSE.*; choose a free one$`),
  );
  taken.close();
});
