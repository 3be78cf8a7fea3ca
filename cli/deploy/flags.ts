import { YES } from '../consent.ts';
import { CONFIG, switchFlag } from '../flags.ts';

/** Flags of the commands that make a plan. */
export const PLAN_FLAGS = {
  config: CONFIG,
  upgrade: switchFlag('take the newest provider of AWS that the stack allows, and lock that'),
} as const;

/** Flags of the commands that change something. */
export const CHANGE_FLAGS = { ...PLAN_FLAGS, yes: YES } as const;

/** Flags of the commands that can be limited to some tables. */
export const TABLES = {
  table: {
    type: 'texts',
    value: 'NAME',
    help: 'only this table, and others with further --table (default: all)',
  },
} as const;

/** Flags of `deploy`. */
export const DEPLOY_FLAGS = { ...CHANGE_FLAGS, ...TABLES } as const;

/** The end of the help of every command that runs Terraform. */
export const TERRAFORM_HELP =
  'TERRAFORM_BINARY_NAME: another program than terraform, e.g. tofu. It uses the AWS credentials that Terraform finds.';
