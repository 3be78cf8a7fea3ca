import type { DeploymentClients } from '../../../operate/deployment/clients.ts';
import { deploymentClients } from '../../../operate/deployment/clients.ts';
import { observeDeployment, observeSweep } from '../../../operate/deployment/observe-deployment.ts';
import { useLoopbackAws } from '../../support/loopback-aws.ts';
import { subjectOf } from '../doctor/subject.ts';

const STREAM = 'arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-11-21T00:00:00.000';

const aws = useLoopbackAws();

async function pipes() {
  const clients: DeploymentClients = deploymentClients('us-east-1', { AWS_ENDPOINT_URL_PIPES: aws.endpoint });
  try {
    const subject = subjectOf({
      archive: true,
      events: { to: 'arn:aws:sqs:us-east-1:123456789012:expired' },
    });
    const sweep = await observeSweep(clients, subject.deployment, subject.region);
    return Object.fromEntries((await observeDeployment(clients, subject, sweep)).pipes);
  } finally {
    clients.destroy();
  }
}

test('each pipe is seen with its stream, its state and the reason, or that it is not there', async () => {
  aws.answers.pipes.set('precise-ttl-T-archive', {
    Source: STREAM,
    CurrentState: 'START_FAILED',
    StateReason: 'Cannot read the stream',
  });
  expect(await pipes()).toEqual({
    'precise-ttl-T-archive': {
      seen: { streamArn: STREAM, state: 'START_FAILED', reason: 'Cannot read the stream' },
    },
    'precise-ttl-T-queue': { seen: undefined },
  });
});

test('a pipe that one may not ask about is not checked', async () => {
  aws.answers.denied.add('pipes:DescribePipe');
  expect(await pipes()).toMatchObject({
    'precise-ttl-T-archive': { notChecked: { reason: 'pipes:DescribePipe is not allowed' } },
  });
});
