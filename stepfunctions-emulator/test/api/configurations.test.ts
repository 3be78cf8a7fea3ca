import {
  CreateStateMachineCommand,
  type CreateStateMachineInput,
  DescribeStateMachineCommand,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';
import { create, PASS, post } from './support.ts';

const api = useStepFunctionsApi();

type Configurations = Pick<
  CreateStateMachineInput,
  'loggingConfiguration' | 'tracingConfiguration' | 'encryptionConfiguration'
>;

const GROUP = 'arn:aws:logs:us-east-1:123456789012:log-group:/aws/vendedlogs/states/a:*';
const destination = (logGroupArn?: string) => ({ cloudWatchLogsLogGroup: { logGroupArn } });

let created = 0;

async function createWith(configurations: Configurations) {
  created += 1;
  const { stateMachineArn } = await api.client.send(
    new CreateStateMachineCommand({
      name: `configured-${created}`,
      definition: PASS,
      roleArn: ROLE_ARN,
      ...configurations,
    }),
  );
  return api.client.send(new DescribeStateMachineCommand({ stateMachineArn }));
}

test.each<[Configurations, Configurations]>([
  [{}, {}],
  [{ loggingConfiguration: {}, tracingConfiguration: {} }, {}],
  [
    { loggingConfiguration: { destinations: [] } },
    { loggingConfiguration: { level: 'OFF', includeExecutionData: false, destinations: [] } },
  ],
  [
    { loggingConfiguration: { destinations: [destination(GROUP)] } },
    {
      loggingConfiguration: { level: 'OFF', includeExecutionData: false, destinations: [destination(GROUP)] },
    },
  ],
  [
    {
      loggingConfiguration: {
        level: 'ERROR',
        includeExecutionData: true,
        destinations: [destination(GROUP)],
      },
    },
    {
      loggingConfiguration: {
        level: 'ERROR',
        includeExecutionData: true,
        destinations: [destination(GROUP)],
      },
    },
  ],
  [{ tracingConfiguration: { enabled: true } }, { tracingConfiguration: { enabled: true } }],
  [
    { encryptionConfiguration: { type: 'AWS_OWNED_KEY' } },
    { encryptionConfiguration: { type: 'AWS_OWNED_KEY' } },
  ],
  [
    { encryptionConfiguration: { type: 'CUSTOMER_MANAGED_KMS_KEY', kmsKeyId: 'alias/a' } },
    {
      encryptionConfiguration: {
        type: 'CUSTOMER_MANAGED_KMS_KEY',
        kmsKeyId: 'alias/a',
        kmsDataKeyReusePeriodSeconds: 300,
      },
    },
  ],
])('%j is described', async (configurations, described) => {
  const { loggingConfiguration, tracingConfiguration, encryptionConfiguration } =
    await createWith(configurations);
  const NONE = {
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
    encryptionConfiguration: undefined,
  };
  expect({ loggingConfiguration, tracingConfiguration, encryptionConfiguration }).toEqual({
    ...NONE,
    ...described,
  });
});

const ONE_DESTINATION = /^Invalid Logging Configuration: Must specify exactly one Log Destination\.$/;
const KMS = { type: 'CUSTOMER_MANAGED_KMS_KEY', kmsKeyId: 'k' } as const;

const REFUSED: [string, string, Configurations, RegExp][] = [
  [
    'no destination',
    'InvalidLoggingConfiguration',
    { loggingConfiguration: { level: 'ALL' } },
    ONE_DESTINATION,
  ],
  [
    'two destinations',
    'InvalidLoggingConfiguration',
    { loggingConfiguration: { level: 'FATAL', destinations: [destination(GROUP), destination(GROUP)] } },
    ONE_DESTINATION,
  ],
  [
    'a log group without its end',
    'InvalidLoggingConfiguration',
    { loggingConfiguration: { level: 'ALL', destinations: [destination(GROUP.slice(0, -2))] } },
    /^Invalid Logging Configuration: Log Group ARN must be provided with '\*' qualifier\.$/,
  ],
  [
    'a destination that is no log group',
    'InvalidLoggingConfiguration',
    { loggingConfiguration: { level: 'ALL', destinations: [destination('arn:aws:s3:::bucket:*')] } },
    /Expected the ARN of a log group, got 'arn:aws:s3:::bucket:\*'\.$/,
  ],
  [
    'an empty destination',
    'InvalidLoggingConfiguration',
    { loggingConfiguration: { level: 'ALL', destinations: [{}] } },
    /Expected the ARN of a log group, got none\.$/,
  ],
  [
    'an unknown level',
    'ValidationException',
    { loggingConfiguration: { level: 'DEBUG' as 'ALL', destinations: [destination(GROUP)] } },
    /'DEBUG' at 'loggingConfiguration\.level' .*\[ALL, ERROR, FATAL, OFF\]$/,
  ],
  [
    'no key',
    'InvalidEncryptionConfiguration',
    { encryptionConfiguration: { type: 'CUSTOMER_MANAGED_KMS_KEY' } },
    /'kmsKeyId' is missing/,
  ],
  [
    'a key that is not for it',
    'InvalidEncryptionConfiguration',
    { encryptionConfiguration: { type: 'AWS_OWNED_KEY', kmsKeyId: 'k' } },
    /AWS_OWNED_KEY/,
  ],
  ...[59, 901].map((kmsDataKeyReusePeriodSeconds): [string, string, Configurations, RegExp] => [
    `a period of ${kmsDataKeyReusePeriodSeconds} seconds`,
    'InvalidEncryptionConfiguration',
    { encryptionConfiguration: { ...KMS, kmsDataKeyReusePeriodSeconds } },
    /expected 60 to 900 seconds/,
  ]),
];

test.each(REFUSED)('%s is refused with %s', async (_what, name, configurations, message) => {
  const refusal = { name, message: expect.stringMatching(message) };
  await expect(createWith(configurations)).rejects.toMatchObject(refusal);
  const stateMachineArn = await create(api, PASS);
  await expect(
    api.client.send(new UpdateStateMachineCommand({ stateMachineArn, ...configurations })),
  ).rejects.toMatchObject(refusal);
});

test('another member in place of `enabled` is refused with InvalidTracingConfiguration', async () => {
  const body = { stateMachineArn: await create(api, PASS), tracingConfiguration: { on: true } };
  const { answer } = await post(api.endpoint, 'AWSStepFunctions.UpdateStateMachine', JSON.stringify(body));
  expect(answer).toEqual({
    __type: 'com.amazonaws.swf.service.v2.model#InvalidTracingConfiguration',
    message: "Invalid Tracing Configuration: expected 'enabled', got 'on'",
  });
});
