/** State machines in Terraform's JSON, such as CDKTF synthesizes. */

export { TerraformError } from './errors.ts';
export { readStateMachine, type TerraformOptions, type TerraformStateMachine } from './state-machines.ts';
