import { setTimeout as sleep } from 'node:timers/promises';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const TOKENS: PreciseTtlProps = {
  tableName: 'Tokens',
  partitionKey: 'id',
};
const EVENTS = { eventBus: 'default' } as const;

describeWithTerraform('the moment from which on expiries are sent', () => {
  let aws: EmulatedAws;
  let deployment: Deployment;
  beforeAll(async () => {
    aws = await startEmulatedAws();
  });
  afterAll(() => aws?.stop());
  beforeEach(async () => {
    await aws.reset();
    deployment = new Deployment(aws);
  });
  afterEach(() => deployment.remove());

  interface Resource {
    readonly type: string;
    readonly address: string;
    readonly values: {
      readonly create_date?: string;
      readonly function_name?: string;
      readonly name?: string;
      readonly environment?: readonly { readonly variables: Readonly<Record<string, string>> }[];
    };
  }
  const NAME = /publish-expiries$/;

  /** Of the function's environment, and when its role was made. */
  async function moments() {
    const { output } = await deployment.terraform(['show', '-json']);
    const { values } = JSON.parse(output) as { values: { root_module: { resources: Resource[] } } };
    const { resources } = values.root_module;
    const called = resources.find(
      ({ type, values }) => type === 'aws_lambda_function' && NAME.test(values.function_name ?? ''),
    );
    const role = resources.find(
      ({ type, values }) => type === 'aws_iam_role' && NAME.test(values.name ?? ''),
    );
    const stored = resources.find(({ type, address }) => type === 'terraform_data' && /since/.test(address));
    return {
      since: called?.values.environment?.[0]?.variables['EVENTS_SINCE'],
      roleMade: role?.values.create_date,
      address: stored?.address ?? '',
    };
  }

  /** The second plan is empty: `deploy` asks for it. The next time of a second's resolution is another one. */
  async function deploy(changes: Partial<PreciseTtlProps>, path = '/') {
    const overrides = { aws_iam_role: { path } };
    await deployment.deploy({ ...configOf({ ...TOKENS, ...changes }), overrides });
    await sleep(1_100);
    return moments();
  }

  test('is that of their first deployment, stays as long as they are on, and is new when they are on again', async () => {
    const first = await deploy({ events: EVENTS });
    expect(first.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(first.since).toBe(first.roleMade);
    // A role with another path is another one.
    const moved = await deploy({ events: EVENTS }, '/team/');
    expect(Date.parse(moved.roleMade ?? '')).toBeGreaterThan(Date.parse(first.since ?? ''));
    expect(moved.since).toBe(first.since);
    expect((await deploy({ events: { ...EVENTS, includePast: true } }, '/team/')).since).toBeUndefined();
    expect((await deploy({ events: EVENTS }, '/team/')).since).toBe(first.since);

    await deploy({}, '/team/');
    const again = await deploy({ events: EVENTS }, '/team/');
    expect(Date.parse(again.since ?? '')).toBeGreaterThan(Date.parse(moved.roleMade ?? ''));
  });

  test('goes with a destination of another kind, whose settings take the place of the old ones', async () => {
    const { since } = await deploy({ events: EVENTS });
    const streamArn = 'arn:aws:kinesis:us-east-1:123456789012:stream/expired';
    expect((await deploy({ events: { streamArn } })).since).toBe(since);
    const { output } = await deployment.terraform(['show', '-json']);
    expect(output).toContain(`"EVENTS_STREAM":"${streamArn}"`);
    expect(output).not.toContain('EVENTS_BUS');
    expect(output).toContain('kinesis:PutRecords');
    expect(output).not.toContain('events:PutEvents');
  });
});
