/** `precise-ttl verify`: proves a deployment in one's own account. See `--help`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Progress } from '../lab/report/progress.ts';
import { isLocal, localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { requireOnePlace } from './aws/one-place.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { TERRAFORM_HELP } from './deploy/flags.ts';
import { FlagError } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { tellEnd } from './job-end.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const SERVICES = ['DYNAMODB', 'SFN', 'SQS', 'LAMBDA', 'CLOUDWATCH'] as const;

export const command = defineCommand({
  flags: {
    region: { type: 'text', value: 'REGION', help: 'where (default: AWS_REGION)' },
    yes: YES,
    json: {
      type: 'text',
      value: 'FILE',
      help: 'write the report as JSON too, without names of the account, to be sent to us',
    },
  },
  help: flags => `npx precise-ttl verify [flags]

Proves in your own account what nothing else can: how late items are deleted, when Scheduler fires, how far the clocks of Step
Functions and DynamoDB and an index lie apart, what runs twice, what is billed, how deep JSONata goes, and whether the permissions
are enough. It says what it makes and what that costs, asks, and deploys a small table and a sweep under names of its own, of which
it takes everything away again: after Ctrl-C too, and after a crash when it is run again. It reads no configuration. Without a
terminal to ask at it refuses, unless you give --yes. docs/verify-on-aws.md of precise-ttl lists the experiments.

${flags}

npx precise-ttl iam verify prints all that it needs in IAM, with what Terraform needs.
${describeActions('verify')}

${TERRAFORM_HELP}

Exit status: 0 all that was measured is kept, 1 an experiment is not kept or could not be made, 2 wrong flags.`,
  async run({ region: given, yes, json }) {
    const region = given ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
    if (region === undefined)
      throw new FlagError('--region: expected a region, got none; name it, or set AWS_REGION');
    requireOnePlace(process.env, SERVICES);
    // Terraform calls services that have no variable here: they would be those of an account.
    if (isLocal(process.env) && !process.env['AWS_ENDPOINT_URL']) {
      throw new FlagError(
        'AWS_ENDPOINT_URL: expected one endpoint for all services, as AWS_ENDPOINT_URL_SFN names one on this machine, got none; set it, or unset the others for AWS',
      );
    }
    const resultFile = json === undefined ? undefined : writableFile('--json', json);
    const [{ checkConfig }, configuration, { describePlan }] = await Promise.all([
      import('../config/config.ts'),
      import('./verify/configuration.ts'),
      import('./verify/text.ts'),
    ]);
    const { MINUTES: minutes, dollarsAtMost, verifiedProps, verifyConfig } = configuration;
    const example = checkConfig(verifyConfig(region, `arn:aws:sqs:${region}:000000000000:example`));
    print(describePlan(region, { minutes, cost: dollarsAtMost(verifiedProps(example)) }));
    requireConsent({ yes });
    const stop = stopOnSignal();
    const { signal } = stop;
    const texts = {
      declined: 'Nothing was made.',
      failed: '\nNot all of it is kept: what follows stands above, with each.',
      interrupted: '\nInterrupted; what was made is taken away again.',
    };
    if (!(await consent('Make this?', { yes }, signal))) {
      return tellEnd(signal.aborted ? 'interrupted' : 'declined', texts, stop);
    }
    // Only now: a wrong flag shall not wait for the SDK and CDKTF.
    const [{ runVerify }, { TerraformDeployer }, { deploymentClients }] = await Promise.all([
      import('./verify/job.ts'),
      import('./verify/terraform-deployer.ts'),
      import('./deployment/clients.ts'),
    ]);
    const { requireTerraform, terraformBinary } = await import('./deploy/terraform-binary.ts');
    await requireTerraform(terraformBinary(process.env));
    const made = deploymentClients(region, process.env);
    const { dynamoDb, sfn, sqs, lambda, cloudWatch } = made;
    if (!(dynamoDb && sfn && sqs && lambda && cloudWatch))
      throw new TypeError('verify: expected a client of each service');
    const clients = { dynamoDb, sfn, sqs, lambda, cloudWatch };
    const progress = new Progress(process.stderr);
    try {
      const end = await runVerify({
        deployer: new TerraformDeployer({ region, clients }),
        time: { now: () => Date.now(), sleep: ms => sleep(ms, undefined, { signal }) },
        onProgress: line => (line === '' ? progress.end() : progress.show(line)),
        ...{ clients, region, minutes, resultFile, print, signal },
      });
      return tellEnd(end, texts, stop);
    } finally {
      progress.end();
      made.destroy();
    }
  },
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
