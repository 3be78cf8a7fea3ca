import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { bundledFiles, bundleFunctions } from '../../stacks/bundle.ts';
import { licencesOf } from '../../tools/package/licences.ts';

jest.unmock('../../stacks/bundle.ts');

const bundles = bundleFunctions();
const FOLDERS = ALL_FUNCTIONS.map(fileOf);

test.each(ALL_FUNCTIONS)('the bundle of %s is one small file, which is archived without the time', task => {
  const { module: file, archive } = bundles[task];
  expect(readdirSync(dirname(file))).toEqual(['index.mjs']);
  expect(statSync(file).size).toBeLessThanOrEqual(task === 'OnlyExpiries' ? 20_000 : 400_000);
  const files = unzipSync(readFileSync(archive));
  expect(Object.keys(files)).toEqual(['index.mjs']);
  expect(Buffer.from(files['index.mjs'] ?? []).equals(readFileSync(file))).toBe(true);
  // Date and time of the first entry, in the format of MS-DOS: 1980-01-01T00:00:00.
  expect(readFileSync(archive).readUInt32LE(10)).toBe(0x00210000);
});

test('each bundle runs in a bare Node', () => {
  const script = `for (const file of process.argv.slice(1)) console.log(typeof (await import(file)).handler)`;
  const files = ALL_FUNCTIONS.map(task => pathToFileURL(bundles[task].module).href);
  const bare = { cwd: '/', encoding: 'utf8', env: {} } as const;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script, ...files], bare);
  expect(said).toBe('function\n'.repeat(files.length));
});

test('every state that calls a function, its folder and its test have one name', () => {
  const handlers = readdirSync('functions', { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('handler.ts'))
    .map(dirname);
  expect(handlers.sort()).toEqual([...FOLDERS].sort());
  for (const task of ALL_FUNCTIONS) {
    const folder = fileOf(task);
    expect(task.replaceAll(/(?!^)[A-Z]/g, letter => `-${letter}`).toLowerCase()).toBe(folder);
    expect(readdirSync(join('test/functions', folder))).toContainEqual(expect.stringMatching(/\.test\.ts$/));
  }
});

test('the licences of what is bundled are all there as texts', () => {
  const licences = licencesOf(bundledFiles());
  const named = new Set([...licences.matchAll(/^(@?[\w./-]+) \d+\.\d+\.\d+/gm)].map(([, name]) => name));
  expect([...named]).toEqual(
    expect.arrayContaining(['@aws-lambda-powertools/logger', '@aws-sdk/client-dynamodb', '@smithy/core']),
  );
  expect(licences).toContain('Permission is hereby granted, free of charge');
  // MIT-0 wants no text handed on; whatever else has none would be a gap.
  const without = [...licences.matchAll(/^(\S+), by its package\.json, which comes without a text/gm)];
  expect(without.map(([, licence]) => licence)).toEqual(['MIT-0']);
});
