import { LambdaClient } from '@aws-sdk/client-lambda';
import type { DeploymentClients } from '../../../operate/deployment/clients.ts';
import { observeDeployment, observeSweep } from '../../../operate/deployment/observe-deployment.ts';
import { useLoopbackAws } from '../../support/loopback-aws.ts';
import { subjectOf } from '../doctor/subject.ts';

const STREAM = 'arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-11-21T00:00:00.000';
const OLD_STREAM = STREAM.replace('2026-11-21', '2026-11-01');

const aws = useLoopbackAws();

async function streamReaders() {
  const lambda = new LambdaClient({
    endpoint: aws.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const only: DeploymentClients = {
    isLocal: false,
    dynamoDb: undefined,
    sfn: undefined,
    scheduler: undefined,
    sqs: undefined,
    lambda,
    cloudWatch: undefined,
    destroy: () => lambda.destroy(),
  };
  try {
    const subject = subjectOf({ archive: {}, events: { eventBus: 'default' } });
    const sweep = await observeSweep(only, subject.deployment, subject.region);
    return (await observeDeployment(only, subject, sweep)).streamReaders;
  } finally {
    only.destroy();
  }
}

test('the readers of a stream are all mappings of a function, on all pages, each with its stream', async () => {
  aws.answers.streamReaders.set('precise-ttl-T-archive-expiries', [
    {
      UUID: 'one',
      State: 'Enabled',
      EventSourceArn: OLD_STREAM,
      LastProcessingResult: 'OK',
      FilterCriteria: { Filters: [{ Pattern: '{}' }] },
    },
    { UUID: 'two', State: 'Creating', EventSourceArn: STREAM },
  ]);
  aws.answers.streamReaders.set('precise-ttl-T-publish-expiries', []);
  expect([...(await streamReaders())]).toEqual([
    [
      'ArchiveExpiries',
      {
        seen: [
          { uuid: 'one', state: 'Enabled', streamArn: OLD_STREAM, lastResult: 'OK', filters: ['{}'] },
          { uuid: 'two', state: 'Creating', streamArn: STREAM, lastResult: undefined, filters: [] },
        ],
      },
    ],
    ['PublishExpiries', { seen: [] }],
  ]);
});

test('a function that is not there is called by nothing', async () => {
  aws.answers.streamReaders.clear();
  expect([...(await streamReaders()).values()]).toEqual([{ seen: [] }, { seen: [] }]);
});
