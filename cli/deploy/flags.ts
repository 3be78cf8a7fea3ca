import { YES } from '../consent.ts';
import { CONFIG } from '../flags.ts';

/** Of the commands that change something. */
export const CHANGE_FLAGS = {
  config: CONFIG,
  yes: YES,
} as const;

/** The end of the help of every command that runs Terraform. */
export const TERRAFORM_HELP =
  'TERRAFORM_BINARY_NAME: another program than terraform, e.g. tofu. It uses the AWS credentials that Terraform finds.';
