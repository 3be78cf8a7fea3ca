import { VirtualClock } from '../src/clock.ts';
import { examples, expectToPass } from './support/readme-examples.ts';
import { useStepFunctionsApi } from './support/step-functions-api.ts';

const api = useStepFunctionsApi({ clock: new VirtualClock() });

test.concurrent.each([
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--pool=threads', '--no-isolate'], 'vitest'],
  ["Node's own test runner", ['--test', ...examples], 'node:test'],
])("the README's examples run under %s", (_name, args, framework) =>
  expectToPass(examples, framework, args, api.endpoint),
);
