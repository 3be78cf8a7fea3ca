import type { DeploymentConfig } from '../config/config.ts';
import { type Blocks, plainStack } from '../stacks/plain-stack.ts';
import { subjectsOf } from './deployment/subject.ts';
import { functionsAtOnce } from './doctor/deployment-findings.ts';

/** A number of a deployment, and what prints it from its Terraform. */
interface Row {
  readonly what: string;
  readonly command: string;
  readonly count: (resources: Blocks, config: DeploymentConfig) => number;
}

const TABLE_COUNTS = [1, 10, 100];

const lengthOf = (blocks: object = {}) => Object.keys(blocks).length;

function ofType(what: string, type: string): Row {
  return {
    what,
    command: `jq '.resource.${type} | length' cdk.tf.json`,
    count: resources => lengthOf(resources[type]),
  };
}

const ROWS: readonly Row[] = [
  {
    what: 'resources of Terraform',
    command: "jq '[.resource[] | length] | add' cdk.tf.json",
    count: resources => Object.values(resources).reduce((sum, blocks) => sum + lengthOf(blocks), 0),
  },
  ofType('tables, the journal among them', 'aws_dynamodb_table'),
  ofType('roles', 'aws_iam_role'),
  {
    what: 'characters of the longest policy of a role, with its references',
    command: "jq '[.resource.aws_iam_role_policy[].policy | length] | max' cdk.tf.json",
    count: resources =>
      Math.max(
        ...Object.values(resources['aws_iam_role_policy'] ?? {}).map(({ policy }) => String(policy).length),
      ),
  },
  ofType('policies besides, for what one has no room for', 'aws_iam_policy'),
  ofType('functions', 'aws_lambda_function'),
  ofType('state machines', 'aws_sfn_state_machine'),
  ofType('schedules', 'aws_scheduler_schedule'),
  ofType('queues', 'aws_sqs_queue'),
  ofType('log groups', 'aws_cloudwatch_log_group'),
  ofType('alarms', 'aws_cloudwatch_metric_alarm'),
  ofType('dashboards', 'aws_cloudwatch_dashboard'),
  {
    what: 'functions at once while nothing is due',
    command: 'a tick calls one after the other',
    count: () => 1,
  },
  {
    what: 'functions at once while all tables have more to delete than they get done',
    command: 'tables × `chunkConcurrency`',
    count: (_resources, config) => sum(config, ({ props }) => props.chunkConcurrency),
  },
  {
    what: 'functions at once of a replay, or of a table with a backlog',
    command: '`shardConcurrency` × `chunkConcurrency`',
    count: (_resources, config) => Math.max(...subjects(config).map(functionsAtOnce)),
  },
];

const subjects = (config: DeploymentConfig) => subjectsOf(config, config.tables);

function sum(
  config: DeploymentConfig,
  value: (subject: ReturnType<typeof subjects>[number]) => number,
): number {
  return subjects(config).reduce((total, subject) => total + value(subject), 0);
}

/** What deployments of so many tables with the defaults have, in columns: head and rows. */
export function scaleTable(): { head: string[]; rows: string[][] } {
  const counted = TABLE_COUNTS.map(count => {
    const tables = Array.from({ length: count }, (_none, index) => ({
      tableName: `Sessions-${index + 1}`,
      partitionKey: 'id',
    }));
    const config: DeploymentConfig = { region: 'us-east-1', tables };
    const { resource: resources } = plainStack(config);
    return ROWS.map(row => row.count(resources, config));
  });
  return {
    head: ['', ...TABLE_COUNTS.map(count => `${count} ${count === 1 ? 'table' : 'tables'}`), 'by'],
    rows: ROWS.map(({ what, command }, index) => [
      what,
      ...counted.map(numbers => (numbers[index] ?? 0).toLocaleString('en-US')),
      command.startsWith('jq') ? `\`${command.replaceAll('|', '\\|')}\`` : command,
    ]),
  };
}
