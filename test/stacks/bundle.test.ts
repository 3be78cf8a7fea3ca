import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFunctions } from '../../stacks/bundle.ts';
import { TASKS, type TaskName } from '../../statemachine/contract.ts';

const folders = bundleFunctions();

describe.each(Object.keys(TASKS) as TaskName[])('the bundle of %s', task => {
  const file = join(folders[task], 'index.mjs');

  test('is one file of at most 400 KB', () => {
    expect(readdirSync(folders[task])).toEqual(['index.mjs']);
    expect(statSync(file).size).toBeLessThanOrEqual(400_000);
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
