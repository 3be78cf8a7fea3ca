import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unzipSync } from 'fflate';
import { bundleFunctions } from '../../stacks/bundle.ts';
import { TASKS, type TaskName } from '../../statemachine/contract.ts';

const bundles = bundleFunctions();

describe.each(Object.keys(TASKS) as TaskName[])('the bundle of %s', task => {
  const { module: file, archive } = bundles[task];

  test('is one file of at most 400 KB', () => {
    expect(readdirSync(dirname(file))).toEqual(['index.mjs']);
    expect(statSync(file).size).toBeLessThanOrEqual(400_000);
  });

  test('is archived alone, without the time', () => {
    const files = unzipSync(readFileSync(archive));
    expect(Object.keys(files)).toEqual(['index.mjs']);
    expect(Buffer.from(files['index.mjs'] ?? []).equals(readFileSync(file))).toBe(true);
    // Date and time of the first entry, in the format of MS-DOS: 1980-01-01T00:00:00.
    expect(readFileSync(archive).readUInt32LE(10)).toBe(0x00210000);
  });

  test('imports in a bare Node and exports the handler', () => {
    const script = `console.log(typeof (await import(${JSON.stringify(pathToFileURL(file).href)})).handler)`;
    const bare = { cwd: '/', encoding: 'utf8', env: {} } as const;
    expect(execFileSync(process.execPath, ['--input-type=module', '--eval', script], bare).trim()).toBe(
      'function',
    );
  });
});

test('every state that calls a function, its file and its test have one name', () => {
  const functions = readdirSync('functions').filter(name => name.endsWith('.ts'));
  expect(functions.sort()).toEqual(
    Object.values(TASKS)
      .map(file => `${file}.ts`)
      .sort(),
  );
  for (const [task, file] of Object.entries(TASKS)) {
    expect(task.replaceAll(/(?!^)[A-Z]/g, letter => `-${letter}`).toLowerCase()).toBe(file);
    expect(readdirSync('test/functions')).toContain(`${file}.test.ts`);
  }
});
