/**
 * The most that each room may hold. A feature that comes takes its lines from another one; who raises a number writes the reason into
 * docs/contributing/decisions.md.
 */

/** Lines of TypeScript, CSS and HTML, with comments and blank lines, of rooms together. */
export const ROOM_LINES = [
  {
    rooms: ['bin', 'cli', 'cost', 'expiry', 'functions', 'local', 'stacks', 'statemachine'],
    most: 21_000,
  },
  {
    // The core: what sweeps, without what reads the stream.
    rooms: [
      'functions/child',
      'functions/delete-chunk',
      'functions/journal',
      'functions/plan-sweep',
      'functions/query-expired',
      'functions/record-metrics',
      'functions/report',
      'functions/retry',
      'functions/runtime',
      'functions/table',
      'statemachine',
    ],
    most: 4_600,
  },
  { rooms: ['expiry'], most: 1_800 },
  { rooms: ['statemachine'], most: 1_000 },
  { rooms: ['functions'], most: 3_800 },
  { rooms: ['stacks'], most: 3_600 },
  { rooms: ['local'], most: 4_200 },
  { rooms: ['cli'], most: 6_800 },
  { rooms: ['cli/dashboard'], most: 1_300 },
  { rooms: ['cost'], most: 700 },
  { rooms: ['bench', 'tools'], most: 6_000 },
  {
    rooms: ['packages/stepfunctions-emulator/src', 'packages/stepfunctions-emulator/page'],
    most: 8_800,
  },
  { rooms: ['packages/stepfunctions-emulator/test'], most: 6_200 },
  { rooms: ['test'], most: 21_800 },
] as const;

/** Words, as `wc -w` counts them. */
export const WORDS = [
  { documents: ['README.md', 'docs/*.md', 'docs/reference/*.md'], most: 13_000 },
  { documents: ['docs/contributing/decisions.md'], most: 3_500 },
] as const;

/** Things that somebody has to know, and files. */
export const NUMBERS = {
  commands: 14,
  /** Names that can be written in a configuration, of a table and of the deployment, without `tables`. */
  props: 24,
  alarms: 7,
  /** States by name, in all machines. */
  states: 20,
  files: 590,
  /** What a deployment of 100 tables has beside them. */
  resourcesOfHundredTables: 46,
} as const;
