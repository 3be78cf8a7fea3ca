import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writableFolder } from '../../cli/flags.ts';
import { shellCommand } from '../support/shell-command.ts';

const root = mkdtempSync(join(tmpdir(), 'precise-ttl-writable-'));
const file = join(root, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder is made with those above it, and left empty', () => {
  const folder = join(root, 'a/b/c');
  expect(writableFolder('--archive-folder', folder)).toBe(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
  expect(writableFolder('--archive-folder', folder)).toBe(folder);
  expect(readdirSync(folder)).toEqual([]);
});

const refused: readonly (readonly [string, string, string])[] = [
  ['a file', file, 'ENOTDIR'],
  ['a folder below a file', join(file, 'x/y'), 'ENOTDIR'],
  ...(existsSync('/proc/self')
    ? ([
        ['a folder below /proc', '/proc/nope/x', 'ENOENT'],
        ['/proc', '/proc', 'E'],
      ] as const)
    : []),
];

test.each(refused)('%s is refused', (_what, path, code) => {
  expect(() => writableFolder('--archive-folder', path)).toThrow(
    new RegExp(
      `^--archive-folder: expected a folder that can be made and written to, got "${path}" \\(${code}`,
    ),
  );
});

test('local says so, and starts nothing', async () => {
  const ended = await shellCommand('local')(['--archive-folder', join(file, 'x')], {});
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toMatch(/^--archive-folder: expected a folder .+; name another\n$/);
});
