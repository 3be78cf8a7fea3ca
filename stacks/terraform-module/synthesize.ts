import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, type TerraformElement, TerraformOutput, TerraformStack } from 'cdktf';
import { type Construct, Node } from 'constructs';
import { withoutDeprecations } from '../app.ts';
import { PreciseTtl } from '../precise-ttl.ts';
import type { PreciseTtlProps } from '../props.ts';
import { escapedTexts } from '../terraform-text.ts';

/** Terraform JSON, or a part of it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Id of the stack and of the one `PreciseTtl` in it; neither is in an address. */
const ID = 'module';

/** A stack whose addresses are the paths of its constructs: `aws_lambda_function.plan_sweep_function`. */
class ModuleStack extends TerraformStack {
  constructor(scope: Construct, props: PreciseTtlProps) {
    super(scope, ID);
    // The module has none: a stack is not synthesized without.
    new AwsProvider(this, 'aws', { region: 'us-east-1' });
    const sweep = new PreciseTtl(this, ID, props);
    const output = (id: string, description: string, value: string | object) =>
      new TerraformOutput(this, id, { description, value });
    output('table_name', 'Name of the table that is swept.', sweep.tableName);
    output('table_arn', 'ARN of the table.', sweep.tableArn);
    output('index_arn', 'ARN of the index that the sweep reads.', sweep.indexArn);
    output('state_machine_arn', 'ARN of the state machine, to start replays of.', sweep.stateMachineArn);
    output('state_machine_name', 'Name of the state machine.', sweep.stateMachineName);
    output(
      'dead_letter_queue_url',
      'URL of the queue of starts that did not get through.',
      sweep.deadLetterQueueUrl,
    );
    output(
      'dead_letter_queue_arn',
      'ARN of the queue of starts that did not get through.',
      sweep.deadLetterQueueArn,
    );
    output('function_arns', 'ARNs of the functions, by their state.', sweep.functionArns);
    output(
      'role_arns',
      'ARNs of the roles: of the functions by their state, of the state machine (sweep), of the schedules (schedule).',
      sweep.roleArns,
    );
    output(
      'log_group_arns',
      'ARNs of the log groups: of the functions by their state, of the state machine (sweep).',
      sweep.logGroupArns,
    );
    output('schedule_group_arn', 'ARN of the group of the schedules.', sweep.scheduleGroupArn);
    output(
      'schedule_arns',
      'ARNs of the schedules: tick, reconcile, and further parts of the reconcile.',
      sweep.scheduleArns,
    );
    output(
      'alarm_topic_arn',
      'ARN of the topic that the alarms tell; null without alarms.',
      sweep.alarmTopicArn ?? '',
    );
    output('alarm_arns', 'ARNs of the alarms that there are, by the key of alarms.', sweep.alarmArns);
    output('dashboard_name', 'Name of the dashboard; null without one.', sweep.dashboardName ?? '');
    output(
      'expiry_model',
      'What the writers and readers of the table must agree on, as `expiryModel` of the npm package takes it.',
      escapedTexts({ ...sweep.expiryModel }),
    );
  }

  protected override allocateLogicalId(element: TerraformElement | Node): string {
    const { scopes } = element instanceof Node ? element : element.node;
    // Without the stack and the sweep; `role/role` is one word.
    const path = scopes.map(({ node }) => node.id).filter(id => id !== '' && id !== ID);
    return path
      .filter((id, index) => id !== path[index - 1])
      .join('_')
      .replaceAll('-', '_');
  }
}

/** What is synthesized of a sweep, without a provider, a backend and comments. */
export interface SynthesizedSweep {
  readonly json: JsonObject;
  /** The provider that the constructs are made for, e.g. `6.25.0`. */
  readonly providerVersion: string;
}

/**
 * Synthesizes one sweep as a module would have it.
 * @param use what is to be done with the files that belong to it, before they go
 */
export function synthesizeSweep(
  props: PreciseTtlProps,
  use: (stackFolder: string, json: JsonObject) => void = () => {},
): SynthesizedSweep {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
  try {
    const app = new App({ outdir });
    new ModuleStack(app, props);
    withoutDeprecations(() => app.synth());
    const folder = join(outdir, 'stacks', ID);
    const { provider, terraform, ...json } = withoutComments(
      JSON.parse(readFileSync(join(folder, 'cdk.tf.json'), 'utf8')),
    ) as JsonObject;
    use(folder, json);
    const { required_providers } = terraform as unknown as {
      readonly required_providers: { readonly aws: { readonly version: string } };
    };
    return { json, providerVersion: required_providers.aws.version };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function withoutComments(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutComments);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '//')
      .map(([key, each]) => [key, withoutComments(each)]),
  );
}
