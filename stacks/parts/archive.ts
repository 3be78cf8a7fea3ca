import type { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { CloudwatchLogStream } from '@cdktf/provider-aws/lib/cloudwatch-log-stream/index.js';
import { KinesisFirehoseDeliveryStream } from '@cdktf/provider-aws/lib/kinesis-firehose-delivery-stream/index.js';
import { S3Bucket } from '@cdktf/provider-aws/lib/s3-bucket/index.js';
import { S3BucketLifecycleConfiguration } from '@cdktf/provider-aws/lib/s3-bucket-lifecycle-configuration/index.js';
import { S3BucketObjectLockConfigurationA } from '@cdktf/provider-aws/lib/s3-bucket-object-lock-configuration/index.js';
import { S3BucketPolicy } from '@cdktf/provider-aws/lib/s3-bucket-policy/index.js';
import { S3BucketPublicAccessBlock } from '@cdktf/provider-aws/lib/s3-bucket-public-access-block/index.js';
import { S3BucketServerSideEncryptionConfigurationA } from '@cdktf/provider-aws/lib/s3-bucket-server-side-encryption-configuration/index.js';
import { S3BucketVersioningA } from '@cdktf/provider-aws/lib/s3-bucket-versioning/index.js';
import { type ITerraformDependable, TerraformStack } from 'cdktf';
import { Construct, type IConstruct } from 'constructs';
import type { Deployment } from '../config/deployments.ts';
import { beginningOf, bucketPrefixOf, pipeName } from '../config/names.ts';
import { archiveOf } from '../config/pipe-props.ts';
import type { Part } from './place.ts';
import { keyStatement, ServiceRole } from './role.ts';
import type { SweptTable } from './swept-table.ts';

const BUCKET_TYPES = {
  bucket: 'aws_s3_bucket',
  versioning: 'aws_s3_bucket_versioning',
  encryption: 'aws_s3_bucket_server_side_encryption_configuration',
  'public-access': 'aws_s3_bucket_public_access_block',
  lifecycle: 'aws_s3_bucket_lifecycle_configuration',
  lock: 'aws_s3_bucket_object_lock_configuration',
  policy: 'aws_s3_bucket_policy',
} as const;

/** Terraform addresses of the bucket and its settings if no archive uses the bucket. `removed` blocks then keep the bucket in AWS. */
export function leftBucket(part: IConstruct): string[] {
  const child = (parent: IConstruct, id: string): IConstruct =>
    parent.node.tryFindChild(id) ?? new Construct(parent as Construct, id);
  const bucket = ['pipes', 'archive', 'bucket'].reduce(child, part.node.scope as IConstruct);
  if (bucket instanceof ArchiveBucket) return [];
  return Object.entries(BUCKET_TYPES).map(
    ([id, type]) => `${type}.${TerraformStack.of(part).getLogicalId(child(bucket, id).node)}`,
  );
}

/** After this time S3 deletes uploads that were never completed, because they cost as much as objects. */
const INCOMPLETE_UPLOAD_DAYS = 7;

const BUFFER = { bufferingInterval: 300, bufferingSize: 64 } as const;

export class Archive extends Construct {
  /** Undefined if all archives are in the user's own buckets. */
  readonly bucket: ArchiveBucket | undefined;
  readonly role: ServiceRole;
  /** The keys of `streams` and `bucketNames` are the tables' `props.name`. */
  readonly streams: Readonly<Record<string, KinesisFirehoseDeliveryStream>>;
  readonly bucketNames: Readonly<Record<string, string>>;

  constructor(
    scope: Construct,
    id: string,
    { place, deployment }: Part,
    tables: readonly SweptTable[],
    logs: CloudwatchLogGroup,
  ) {
    super(scope, id);
    const own = tables.filter(({ props }) => archiveOf(props)?.bucket === undefined);
    const lockDays = archiveOf(own[0]?.props ?? {})?.lockDays ?? 0;
    if (own.length > 0) this.bucket = new ArchiveBucket(this, 'bucket', deployment, lockDays);
    const ownName = this.bucket?.bucketName ?? '';
    this.bucketNames = Object.fromEntries(
      tables.map(({ props }) => [props.name, archiveOf(props)?.bucket ?? ownName]),
    );
    const arnOf = (bucket: string) => `arn:${place.partition}:s3:::${bucket}`;
    const placesOf = ({ tableName, props }: SweptTable) => {
      const { bucket } = archiveOf(props) ?? {};
      if (bucket === undefined) return [`${arnOf(ownName)}/*`];
      return ['', 'failed/'].map(begin => `${arnOf(bucket)}/${begin}${tableName}/*`);
    };
    const bucketArns = [...new Set(Object.values(this.bucketNames))].map(arnOf);
    const logStream = new CloudwatchLogStream(this, 'logs', { name: 'archive', logGroupName: logs.name });
    this.role = new ServiceRole(this, 'role', {
      place,
      name: `${deployment.name}-archive`,
      service: 'firehose',
      sourceArn: place.arn('firehose', `deliverystream/${beginningOf(deployment.name)}*`),
      // The permissions that Firehose needs. Source: Amazon Data Firehose Developer Guide, "Grant Firehose access to an Amazon S3
      // destination".
      statements: [
        { actions: ['s3:AbortMultipartUpload', 's3:PutObject'], resources: tables.flatMap(placesOf) },
        {
          actions: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
          resources: bucketArns,
        },
        { actions: ['logs:PutLogEvents'], resources: [logStream.arn] },
        keyStatement(deployment.kmsKeyArn, ['kms:Decrypt', 'kms:GenerateDataKey'], {
          StringLike: { 'kms:ViaService': `s3.${place.region}.amazonaws.*` },
        }),
      ],
    });
    this.streams = Object.fromEntries(
      tables.map(({ tableName, props }) => [
        props.name,
        new KinesisFirehoseDeliveryStream(this, props.name, {
          name: pipeName(props, { id: 'archive' }),
          destination: 'extended_s3',
          serverSideEncryption: { enabled: true, keyType: 'AWS_OWNED_CMK' },
          extendedS3Configuration: {
            roleArn: this.role.arn,
            bucketArn: arnOf(this.bucketNames[props.name] ?? ''),
            prefix: `${tableName}/day=!{timestamp:yyyy-MM-dd}/`,
            errorOutputPrefix: `failed/${tableName}/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/`,
            ...BUFFER,
            compressionFormat: 'GZIP',
            fileExtension: '.jsonl.gz',
            processingConfiguration: { enabled: true, processors: [{ type: 'AppendDelimiterToRecord' }] },
            cloudwatchLoggingOptions: {
              enabled: true,
              logGroupName: logs.name,
              logStreamName: logStream.name,
            },
          },
          dependsOn: [...this.role.policies, ...(this.bucket?.beforeObjects ?? [])],
        }),
      ]),
    );
  }
}

class ArchiveBucket extends Construct {
  readonly bucketName: string;
  readonly bucket: S3Bucket;
  /** Firehose may write only after these resources exist: an earlier object could have no version, no lock, or another encryption. */
  readonly beforeObjects: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, { name, kmsKeyArn }: Deployment, lockDays: number) {
    super(scope, id);
    this.bucket = new S3Bucket(this, 'bucket', {
      bucketPrefix: bucketPrefixOf(name),
      lifecycle: { preventDestroy: true, ignoreChanges: ['bucket_prefix'] },
    });
    this.node.defaultChild = this.bucket;
    this.bucketName = this.bucket.id;
    const bucket = this.bucketName;
    const versioning = new S3BucketVersioningA(this, 'versioning', {
      bucket,
      versioningConfiguration: { status: 'Enabled' },
    });
    const encryption = new S3BucketServerSideEncryptionConfigurationA(this, 'encryption', {
      bucket,
      rule: [
        {
          applyServerSideEncryptionByDefault: {
            sseAlgorithm: kmsKeyArn === undefined ? 'AES256' : 'aws:kms',
            ...(kmsKeyArn !== undefined && { kmsMasterKeyId: kmsKeyArn }),
          },
          bucketKeyEnabled: kmsKeyArn !== undefined,
        },
      ],
    });
    const publicAccess = new S3BucketPublicAccessBlock(this, 'public-access', {
      bucket,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
    new S3BucketLifecycleConfiguration(this, 'lifecycle', {
      bucket,
      rule: [
        {
          id: 'incomplete-uploads',
          status: 'Enabled',
          filter: [{ prefix: '' }],
          abortIncompleteMultipartUpload: [{ daysAfterInitiation: INCOMPLETE_UPLOAD_DAYS }],
        },
      ],
    });
    const lock =
      lockDays === 0
        ? []
        : [
            // This resource also turns Object Lock on. An argument of the bucket itself could turn Object Lock on only for a new bucket.
            new S3BucketObjectLockConfigurationA(this, 'lock', {
              bucket,
              rule: { defaultRetention: { mode: 'COMPLIANCE', days: lockDays } },
              dependsOn: [versioning],
            }),
          ];
    const arn = this.bucket.arn;
    const policy = new S3BucketPolicy(this, 'policy', {
      bucket,
      policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Sid: 'OnlyTls',
            Effect: 'Deny',
            Principal: '*',
            Action: 's3:*',
            Resource: [arn, `${arn}/*`],
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      }),
      dependsOn: [publicAccess],
    });
    this.beforeObjects = [versioning, encryption, publicAccess, ...lock, policy];
  }
}
