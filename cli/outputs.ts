/** `npm run outputs`: what was deployed, for scripts. See `--help`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runProgram, synth } from './deploy/run-cdktf.ts';
import { DeployError, requireTerraform, terraformBinary } from './deploy/terraform-binary.ts';
import { runCommand } from './run-command.ts';

await runCommand({
  flags: {},
  help: flags => `npm run --silent outputs

Prints the deployment's outputs as JSON: by table its ARN, the ARN of the state machine to start replays of, and the URL
of the queue of starts that did not get through. Everything else that it says goes to stderr.

${flags}

Exit status: 0 printed, 1 not (nothing deployed yet, no access to the state), 2 wrong flags.`,
  run: printOutputs,
});

async function printOutputs(): Promise<number> {
  const terraform = terraformBinary(process.env);
  await requireTerraform(terraform);
  if ((await synth()) !== 0) return 1;
  // Only now: loading the CDKTF app takes most of a second.
  const { STACK } = await import('../stacks/app.ts');
  const inStack = `-chdir=cdktf.out/stacks/${STACK}`;
  const initialised = await runProgram(terraform, [inStack, 'init', '-input=false'], {}, [
    'ignore',
    process.stderr,
    process.stderr,
  ]);
  if (initialised !== 0) return 1;
  const { stdout } = await promisify(execFile)(terraform, [inStack, 'output', '-json']);
  const { tables } = JSON.parse(stdout) as { tables?: { value: unknown } };
  if (tables === undefined) {
    throw new DeployError('Outputs: expected those of a deployment, got none; run npm run deploy first.');
  }
  console.log(JSON.stringify({ tables: tables.value }, null, 2));
  return 0;
}
