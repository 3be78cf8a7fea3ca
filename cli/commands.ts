import type { Commands } from './run-command.ts';

/** The commands of `precise-ttl`, in the order in which one meets them. */
export const COMMANDS = {
  init: {
    summary: 'write a configuration: three questions, or --table NAME',
    load: async () => (await import('./init.ts')).command,
  },
  adopt: {
    summary: 'make a table that exists ready to be swept: its index, native TTL, and its configuration',
    load: async () => (await import('./adopt.ts')).command,
  },
  cost: {
    summary: 'say what a month costs, for your own numbers',
    load: async () => (await import('./cost.ts')).command,
  },
  start: {
    summary: 'see it work on this machine: sessions expire, and each one is deleted in time',
    load: async () => (await import('./start.ts')).command,
  },
  local: {
    summary: 'run the whole deployment on this machine, for AWS clients to talk to',
    load: async () => (await import('./local.ts')).command,
  },
  synth: {
    summary: 'write the Terraform of the configuration to cdktf.out',
    load: async () => (await import('./synth.ts')).command,
  },
  diff: {
    summary: 'show what a deployment would change',
    load: async () => (await import('./diff.ts')).command,
  },
  deploy: {
    summary: 'provision what the configuration says',
    load: async () => (await import('./deploy.ts')).command,
  },
  outputs: {
    summary: 'print what was deployed, as JSON',
    load: async () => (await import('./outputs.ts')).command,
  },
  model: {
    summary: "print a table's expiry model as JSON, for its writers in any language",
    load: async () => (await import('./model.ts')).command,
  },
  iam: {
    summary: 'print what IAM has to allow: to deploy, to plan, to operate, and for roles made elsewhere',
    load: async () => (await import('./iam.ts')).command,
  },
  verify: {
    summary:
      'prove it in your own account: a small deployment, ten minutes, experiments, and all is taken away again',
    load: async () => (await import('./verify.ts')).command,
  },
  destroy: {
    summary: 'remove everything but the tables',
    load: async () => (await import('./destroy.ts')).command,
  },
  replay: {
    summary: 'sweep a span of time again',
    load: async () => (await import('./replay.ts')).command,
  },
  pause: {
    summary: 'stop the sweeps for a while, without a deployment',
    load: async () => (await import('./pause.ts')).command,
  },
  resume: {
    summary: 'let them go on, and replay what they missed',
    load: async () => (await import('./resume.ts')).command,
  },
  limit: {
    summary: 'limit how many items a sweep deletes a second, without a deployment',
    load: async () => (await import('./limit.ts')).command,
  },
  status: {
    summary: 'show how the sweeps stand: what is gone, what is overdue, the last sweeps, alarms',
    load: async () => (await import('./status.ts')).command,
  },
  history: {
    summary: 'list the executions of the last days with their reports, and why some failed',
    load: async () => (await import('./history.ts')).command,
  },
  doctor: {
    summary: 'look whether a table and its sweep are as they should be, and say what mends them',
    load: async () => (await import('./doctor.ts')).command,
  },
  backfill: {
    summary: 'write the window into the items that are in a table already',
    load: async () => (await import('./backfill.ts')).command,
  },
  restore: {
    summary: 'write archived items back into their table',
    load: async () => (await import('./restore.ts')).command,
  },
  completion: {
    summary: 'print what completes these commands in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).command,
  },
} satisfies Commands;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
