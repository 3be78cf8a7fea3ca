const EMULATOR = 'packages/stepfunctions-emulator/src';

/**
 * The rooms of this project, and the others that each may import from; it may also import from what those may. `test/` may import from all
 * of them.
 */
export const MAY_IMPORT = {
  // The product: nothing in it imports what is local.
  expiry: [],
  statemachine: ['expiry'],
  functions: ['statemachine'],
  'stacks/config': ['functions'],
  stacks: ['stacks/config'],
  cost: ['statemachine'],
  // What runs and measures it on one machine.
  [EMULATOR]: [],
  // In a browser; of the emulator, only the types of the data that it shows.
  'packages/stepfunctions-emulator/page': [EMULATOR],
  // It runs the functions' bundles. Beside that, it reads streams as they do, and asks their plan which ticks are idle.
  local: ['stacks', EMULATOR],
  // What other teams' tests import.
  'local/testing': ['local'],
  // The page of the sweep, the facts that it shows, and words for them, which the commands print too.
  'cli/dashboard': ['functions'],
  cli: ['local', 'cost', 'cli/dashboard'],
  // The demo is the command start.
  bench: ['cli'],
  'bench/experiments': ['bench', 'test/support/simulation'],
  // The list of the commands, each loaded when it is called.
  bin: ['bench'],
  // The table of CONTRIBUTING.md is made of this file.
  tools: ['bin', 'packages/stepfunctions-emulator/page', 'test/structure'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
