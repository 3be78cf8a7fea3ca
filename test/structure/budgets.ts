/**
 * The most that each room may hold. A feature that comes takes its lines from another one; who raises a number writes the reason into
 * docs/contributing/decisions.md.
 */

/** Lines of TypeScript, CSS and HTML, with comments and blank lines, of rooms together. */
export const ROOM_LINES = [
  {
    rooms: [
      'cli',
      'config',
      'cost',
      'dashboard',
      'expiry',
      'functions',
      'local',
      'stacks',
      'statemachine',
      'testing',
    ],
    most: 24_941,
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
    most: 5_150,
  },
  { rooms: ['config', 'stacks'], most: 3_810 },
  { rooms: ['lab', 'tools'], most: 9_600 },
  {
    rooms: ['aws-on-loopback/src', 'stepfunctions-emulator/src', 'stepfunctions-emulator/page'],
    most: 15_120,
  },
  { rooms: ['aws-on-loopback/test', 'stepfunctions-emulator/test'], most: 10_350 },
  { rooms: ['test'], most: 32_325 },
] as const;

/** Words, as `wc -w` counts them. */
export const WORDS = [
  { documents: ['README.md', 'docs/*.md', 'docs/reference/*.md'], most: 13_200 },
  { documents: ['docs/contributing/decisions.md'], most: 4_350 },
] as const;

/** Things that somebody has to know, and files. */
export const NUMBERS = {
  commands: 14,
  /** Names that can be written in a configuration, of a table and of the deployment. */
  props: 24,
  alarms: 7,
  /** States by name, in all machines. */
  states: 20,
  files: 860,
  /** What a deployment of 100 tables has beside them. */
  resourcesOfHundredTables: 46,
} as const;
