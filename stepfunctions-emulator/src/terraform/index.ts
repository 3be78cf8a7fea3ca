/** Reads state machines from Terraform's JSON, for example as CDKTF synthesizes it. */

export { TerraformError } from './errors.ts';
export { readStateMachine, type TerraformOptions, type TerraformStateMachine } from './state-machines.ts';
