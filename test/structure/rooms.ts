const PRODUCT = ['expiry', 'statemachine', 'functions', 'stacks/config', 'stacks'] as const;

const EMULATOR = 'packages/stepfunctions-emulator/src';

/** The rooms of this project, and the others that each may import from. `test/` may import from all of them. */
export const MAY_IMPORT = {
  // The product: nothing in it imports what is local.
  expiry: [],
  statemachine: ['expiry'],
  functions: ['expiry', 'statemachine'],
  'stacks/config': ['expiry', 'statemachine', 'functions'],
  stacks: ['expiry', 'statemachine', 'functions', 'stacks/config'],
  cost: [],
  // What runs and measures it on one machine.
  'packages/stepfunctions-emulator/src': [],
  // In a browser; of the emulator, only the types of the data that it shows.
  'packages/stepfunctions-emulator/page': ['packages/stepfunctions-emulator/src'],
  // It runs the functions' bundles. Beside that, it reads streams as they do, and asks their plan which ticks are idle.
  local: [...PRODUCT, EMULATOR],
  // What other teams' tests import.
  'local/testing': [...PRODUCT, EMULATOR, 'local'],
  // The page of the sweep, the facts that it shows, and words for them, which the commands print too.
  'cli/dashboard': ['functions', 'statemachine'],
  cli: [...PRODUCT, 'cost', 'cli/dashboard', EMULATOR, 'local'],
  // The demo is the command start.
  bench: [...PRODUCT, 'cost', 'cli/dashboard', EMULATOR, 'local', 'cli'],
  'bench/experiments': [
    ...PRODUCT,
    'cost',
    'cli/dashboard',
    EMULATOR,
    'local',
    'cli',
    'bench',
    'test/support/simulation',
  ],
  // The list of the commands, each loaded when it is called.
  bin: ['cli', 'bench'],
  tools: [
    ...PRODUCT,
    'cost',
    'cli/dashboard',
    'packages/stepfunctions-emulator/page',
    'local',
    'cli',
    'bin',
    // The table of CONTRIBUTING.md is made of this file.
    'test/structure',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
