import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import { deadLetterQueueOf, proofName } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { type ArchiveSettings, toArchiveEnvironment } from '../../functions/archive/settings.ts';
import { fileOf } from '../../functions/function-list.ts';
import { proofFolder } from '../../functions/proof/manifest.ts';
import { MANIFEST_MEMORY_MB } from '../../functions/write-manifest/limits.ts';
import { journalEnvironment, readBookStatements } from './journal.ts';
import type { Place } from './place.ts';
import { queueKeyStatements } from './queue-key.ts';
import { ServiceRole } from './role.ts';
import type { Statement } from './role-policies.ts';
import { SweepFunction, tableInWords } from './sweep-function.ts';
import { LEFT_ALONE } from './sweep-schedules.ts';
import { tagged } from './tagged.ts';

/** Schedule of the manifests: a day must be over for two hours, see `SETTLED_SECONDS`. */
export const EVERY_DAY = 'cron(17 3 * * ? *)';

/** Seconds after which Scheduler puts a failed call into the queue; the next day's call does its work. */
const RETRY_SECONDS = 3_600;

export interface ProofProps {
  readonly place: Place;
  readonly tableName: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Settings of the manifests' archive. */
  readonly archive: ArchiveSettings;
  /** Resources that must exist before the first object. */
  readonly beforeObjects: readonly ITerraformDependable[];
  readonly sweep: ResolvedProps;
}

/** The daily manifest of a table's deletions: a function, and the schedule that calls it. */
export class Proof extends Construct {
  readonly function: SweepFunction;
  readonly schedule: SchedulerSchedule;

  constructor(scope: Construct, id: string, props: ProofProps) {
    super(scope, id);
    const { place, environment, archive, beforeObjects, sweep } = props;
    this.function = new SweepFunction(this, fileOf('WriteManifest'), {
      place,
      task: 'WriteManifest',
      worksFor: tableInWords(sweep),
      environment: {
        ...environment,
        ...journalEnvironment(sweep.sweep),
        ...toArchiveEnvironment(archive, value => value),
      },
      memoryMb: MANIFEST_MEMORY_MB,
      statements: [...readBookStatements(sweep, place), ...folderStatements(props)],
      dependsOn: beforeObjects,
      sweep,
    });
    const name = proofName(sweep.name);
    const queueArn = place.arn('sqs', deadLetterQueueOf(sweep.sweep));
    const role = new ServiceRole(this, 'role', {
      place,
      name,
      service: 'scheduler.amazonaws.com',
      account: place.account,
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['lambda:InvokeFunction'], resources: [this.function.arn] },
        { actions: ['sqs:SendMessage'], resources: [queueArn] },
        ...queueKeyStatements(sweep, queueArn),
      ],
      sweep,
    });
    const group = new SchedulerScheduleGroup(this, 'group', { name, ...tagged(sweep) });
    this.schedule = new SchedulerSchedule(this, 'schedule', {
      name,
      groupName: group.name,
      scheduleExpression: EVERY_DAY,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: this.function.arn,
        roleArn: role.arn,
        input: '{}',
        retryPolicy: { maximumEventAgeInSeconds: RETRY_SECONDS, maximumRetryAttempts: 5 },
        deadLetterConfig: { arn: queueArn },
      },
      dependsOn: [...role.policies],
      lifecycle: { ignoreChanges: LEFT_ALONE },
    });
    this.node.defaultChild = this.schedule;
  }
}

/** Permissions to list, read and put objects in the folder of the table's manifests, and nowhere else in the bucket. */
function folderStatements({ place, tableName, archive, sweep: { kmsKeyArn } }: ProofProps): Statement[] {
  const bucketArn = `arn:${place.partition}:s3:::${archive.archiveBucket}`;
  const folder = `${archive.archivePrefix}${proofFolder(tableName)}`;
  return [
    { actions: ['s3:GetObject', 's3:PutObject'], resources: [`${bucketArn}/${folder}*`] },
    {
      actions: ['s3:ListBucket'],
      resources: [bucketArn],
      condition: { StringLike: { 's3:prefix': [`${folder}*`] } },
    },
    // Source: S3 User Guide, "Using server-side encryption with AWS KMS keys", "Permissions".
    {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
      condition: { StringLike: { 'kms:ViaService': `s3.${place.region}.amazonaws.*` } },
    },
  ];
}
