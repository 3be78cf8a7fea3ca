import type { Commands } from './run-command.ts';

/** The commands of `precise-ttl`, grouped as in the help: by what the user wants to do. */
export const COMMANDS = {
  init: {
    group: 'set up',
    summary: 'write a configuration: three questions, or --table NAME',
    load: async () => (await import('./init.ts')).command,
  },
  cost: {
    group: 'set up',
    summary: 'say what a month costs, for your own numbers',
    load: async () => (await import('./cost.ts')).command,
  },
  start: {
    group: 'set up',
    summary: 'see it work on this machine: sessions expire, and each one is deleted in time',
    load: async () => (await import('./start.ts')).command,
  },
  local: {
    group: 'set up',
    summary: 'run the whole deployment on this machine, for AWS clients to talk to',
    load: async () => (await import('./local.ts')).command,
  },
  synth: {
    group: 'set up',
    summary: 'write the Terraform of the configuration to cdktf.out',
    load: async () => (await import('./synth.ts')).command,
  },
  diff: {
    group: 'set up',
    summary: 'show what a deployment would change',
    load: async () => (await import('./diff.ts')).command,
  },
  deploy: {
    group: 'set up',
    summary: 'provision what the configuration says',
    load: async () => (await import('./deploy.ts')).command,
  },
  model: {
    group: 'set up',
    summary: "print a table's expiry model as JSON, for its writers in any language, and what is deployed",
    load: async () => (await import('./model.ts')).command,
  },
  iam: {
    group: 'set up',
    summary: 'print what IAM has to allow: to deploy, to plan, to operate, and for roles made elsewhere',
    load: async () => (await import('./iam.ts')).command,
  },
  destroy: {
    group: 'set up',
    summary: 'remove everything but the tables',
    load: async () => (await import('./destroy.ts')).command,
  },
  adopt: {
    group: 'adopt',
    summary: 'make a table that exists ready to be swept: its index, native TTL, and its configuration',
    load: async () => (await import('./adopt.ts')).command,
  },
  backfill: {
    group: 'adopt',
    summary: 'write the window into the items that are in a table already',
    load: async () => (await import('./backfill.ts')).command,
  },
  status: {
    group: 'watch',
    summary: 'show how the sweeps stand: what is gone, what is overdue, the last sweeps, alarms',
    load: async () => (await import('./status.ts')).command,
  },
  dashboard: {
    group: 'watch',
    summary: 'show the same and the last three hours on a page in the browser of this machine',
    load: async () => (await import('./dashboard.ts')).command,
  },
  history: {
    group: 'watch',
    summary: 'list the executions of the last days with their reports, and why some failed',
    load: async () => (await import('./history.ts')).command,
  },
  doctor: {
    group: 'watch',
    summary: 'look whether a table and its sweep are as they should be, and say what mends them',
    load: async () => (await import('./doctor.ts')).command,
  },
  pause: {
    group: 'act',
    summary: 'stop the sweeps for a while, without a deployment',
    load: async () => (await import('./pause.ts')).command,
  },
  resume: {
    group: 'act',
    summary: 'let them go on, and replay what they missed',
    load: async () => (await import('./resume.ts')).command,
  },
  limit: {
    group: 'act',
    summary: 'limit how many items a sweep deletes a second, without a deployment',
    load: async () => (await import('./limit.ts')).command,
  },
  replay: {
    group: 'act',
    summary: 'sweep a span of time again',
    load: async () => (await import('./replay.ts')).command,
  },
  restore: {
    group: 'act',
    summary: 'write archived items back into their table',
    load: async () => (await import('./restore.ts')).command,
  },
  audit: {
    group: 'prove',
    summary: 'compare what was deleted with what was archived and published, and name what differs',
    load: async () => (await import('./audit.ts')).command,
  },
  proof: {
    group: 'prove',
    summary: "verify the proof of a day's deletions: its manifest, the archive, the journal",
    load: async () => (await import('./proof.ts')).command,
  },
  verify: {
    group: 'prove',
    summary:
      'prove it in your own account: a small deployment, ten minutes, experiments, and all is taken away again',
    load: async () => (await import('./verify.ts')).command,
  },
} satisfies Commands;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
