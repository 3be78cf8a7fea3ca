/** `precise-ttl verify`: tests a deployment in the user's own account. See `--help`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocal } from '../operate/aws/endpoint.ts';
import { requireTerraform, TERRAFORM_HELP } from './deploy/run-terraform.ts';
import { FlagError, textFlag } from './flags.ts';
import { defineOperation, planOf } from './operation.ts';

export const command = defineOperation({
  name: 'verify',
  usage: ['[flags]'],
  flags: { region: textFlag('REGION', 'where (default: AWS_REGION)') },
  about: `Proves in your own account what nothing else can: how late items are deleted, when Scheduler fires, how far the clocks of Step
Functions and DynamoDB and an index lie apart, what runs twice, what is billed, how deep JSONata goes, and whether the permissions
are enough. It says what it makes and what that costs, asks, and deploys a small table and a sweep under names of its own, of which
it takes everything away again: after Ctrl-C too, and after a crash when it is run again. It reads no configuration. Without a
terminal to ask at it refuses, unless you give --yes. --json has no names of the account: it can be sent to us.`,
  where: `${TERRAFORM_HELP}
Terraform needs the permission to make and to delete tables, roles, functions, state machines, schedules, alarms, a queue and logs.`,
  services: ['DYNAMODB', 'SFN', 'SQS', 'LAMBDA', 'CLOUDWATCH'],
  alwaysAsks: true,
  question: 'Make this?',
  status: {
    done: 'all that was measured is kept',
    not: 'an experiment is not kept or could not be made',
  },
  region: ({ region }) => region ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'],
  read({ region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] }) {
    if (region === undefined)
      throw new FlagError('--region: expected a region, got none; name it, or set AWS_REGION');
    // Terraform also calls services that are not in this list: without this variable they would be called in an account.
    if (isLocal(process.env) && !process.env['AWS_ENDPOINT_URL']) {
      throw new FlagError(
        'AWS_ENDPOINT_URL: expected one endpoint for all services, as AWS_ENDPOINT_URL_SFN names one on this machine, got none; set it, or unset the others for AWS',
      );
    }
    return region;
  },
  async prepare(region, { print, show, signal, atEnd }) {
    const [{ checkConfig }, configuration] = await Promise.all([
      import('../config/config.ts'),
      import('./verify/configuration.ts'),
    ]);
    const { MINUTES: minutes, describePlan, dollarsAtMost, verifiedProps, verifyConfig } = configuration;
    const example = checkConfig(verifyConfig(region, `arn:aws:sqs:${region}:000000000000:example`));
    print(describePlan(region, { minutes, cost: dollarsAtMost(verifiedProps(example)) }));
    return planOf({
      async apply() {
        // Imported late: CDKTF takes most of a second to load.
        const [{ runVerify }, { TerraformDeployer }, { deploymentClients }] = await Promise.all([
          import('./verify/job.ts'),
          import('./verify/terraform-deployer.ts'),
          import('../operate/deployment/clients.ts'),
        ]);
        await requireTerraform();
        const made = deploymentClients(region, process.env);
        atEnd(() => made.destroy());
        const { dynamoDb, sfn, sqs, lambda, cloudWatch } = made;
        if (!(dynamoDb && sfn && sqs && lambda && cloudWatch))
          throw new TypeError('verify: expected a client of each service');
        const clients = { dynamoDb, sfn, sqs, lambda, cloudWatch };
        return runVerify({
          deployer: new TerraformDeployer({ region, clients }),
          time: { now: () => Date.now(), sleep: ms => sleep(ms, undefined, { signal }) },
          ...{ clients, region, minutes, onProgress: show, print, signal },
        });
      },
      tell({ experiments }) {
        if (experiments.every(({ kept }) => kept !== false)) return { end: 'done' };
        const note = 'Not all of it is kept: what follows stands above, with each.';
        return { end: 'failed', note, isFinal: true };
      },
    });
  },
});
