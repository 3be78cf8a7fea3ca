import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { folderWith } from '../support/folder.ts';
import { STUB_PROVIDER } from './stub-provider/build.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { callProblems, describeWithTerraform } from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

// What it makes, reads and edits is seen in the deployments: after each a plan is empty, and its calls are as AWS's models say.
describeWithTerraform('the stub provider', () => {
  const on = useFreshDeployment();

  /** A folder with these resources, in which Terraform is initialized. */
  const rootWith = async (resource: object) => {
    const terraform = { required_providers: { aws: { source: 'hashicorp/aws' } } };
    const text = JSON.stringify({ terraform, provider: { aws: { region: 'us-east-1' } }, resource });
    const root = new TerraformRoot(folderWith({ 'main.tf.json': text }), on.aws);
    await root.succeed(['init', '-input=false']);
    return root;
  };

  test('is formatted as gofmt formats', () => {
    const cwd = join(STUB_PROVIDER, 'provider');
    expect(execFileSync('gofmt', ['-l', '.'], { cwd, encoding: 'utf8' })).toBe('');
  });

  test('repeats a call whose connection broke', async () => {
    let requests = 0;
    const breaking = createServer((incoming, answer) => {
      requests += 1;
      if (requests % 2 === 1) return void incoming.socket.destroy();
      const { method, headers, url = '/' } = incoming;
      const outgoing = request(new URL(url, on.aws.endpoint), { method, headers }, received => {
        answer.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(answer);
      });
      incoming.pipe(outgoing);
    }).listen(0, '127.0.0.1');
    await once(breaking, 'listening');
    const root = await rootWith({ aws_sns_topic: { alarms: { name: 'alarms' } } });
    const AWS_ENDPOINT_URL = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
    expect(await root.planAndApply({ AWS_ENDPOINT_URL })).toEqual({ create: ['aws_sns_topic.alarms'] });
    breaking.closeAllConnections();
    breaking.close();
    expect(requests).toBeGreaterThan(4);
  });

  test('refuses what the provider refuses', async () => {
    const alarm = {
      ...{ comparison_operator: 'GreaterThanThreshold', evaluation_periods: 1, threshold: 5 },
      ...{ namespace: 'PreciseTtl', metric_name: 'DeletionLag', period: 90, alarm_name: 'a' },
    };
    const root = await rootWith({
      aws_cloudwatch_metric_alarm: { late: { ...alarm, extended_statistic: '99' } },
      aws_cloudwatch_dashboard: { sweeps: { dashboard_name: 'my sweeps', dashboard_body: '{' } },
    });
    const refused = await root.plan();
    for (const expected of [
      'extended_statistic: expected to match',
      'period: expected one of [10 20 30] or a multiple of 60, got 90',
      'dashboard_name: expected to match',
      'dashboard_body: expected JSON',
    ])
      expect(refused).toContain(expected);
  });

  test('finds a recorded call that AWS would refuse', () => {
    const call = { service: 'SNS', call: 'CreateTopic', about: 'x', input: { Colour: 'red' } };
    const alarm = { service: 'CloudWatch', call: 'PutMetricAlarm', about: 'y', input: { AlarmName: '' } };
    const log = [call, alarm].map(each => `${JSON.stringify(each)}\n`).join('');
    const problems = callProblems(join(folderWith({ 'calls.jsonl': log }), 'calls.jsonl'));
    expect(problems).toContain('CreateTopic x: : no member Colour');
    expect(problems).toContain('CreateTopic x: : Name is missing');
    expect(problems).toContain('PutMetricAlarm y: .AlarmName: 0 is less than 1');
  });
});
