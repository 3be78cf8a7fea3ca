import { examples, expectToPass } from './support/readme-examples.ts';

test.concurrent.each([
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--pool=threads', '--no-isolate'], 'vitest'],
  ["Node's own test runner", ['--test', ...examples], 'node:test'],
])("the README's examples run under %s", (_name, args, framework) => expectToPass(examples, framework, args));
