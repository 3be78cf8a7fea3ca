import { globSync, readFileSync } from 'node:fs';

/** The texts in a source that begin with a flag and describe its error. */
const flagsIn = (source: string) => source.match(/['"`]--[^\s'"`]*:\s[^'"`\n]*/g) ?? [];

test('an error of a function names its field, and a command the flag for it: none of operate/ begins with one', () => {
  const files = globSync('operate/**/*.ts');
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(file => flagsIn(readFileSync(file, 'utf8')))).toEqual([]);
  expect(flagsIn('throw new InputError(`--from: expected a time`)')).toHaveLength(1);
});
