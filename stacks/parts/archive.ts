import { S3Bucket } from '@cdktf/provider-aws/lib/s3-bucket/index.js';
import { S3BucketLifecycleConfiguration } from '@cdktf/provider-aws/lib/s3-bucket-lifecycle-configuration/index.js';
import { S3BucketOwnershipControls } from '@cdktf/provider-aws/lib/s3-bucket-ownership-controls/index.js';
import { S3BucketPolicy } from '@cdktf/provider-aws/lib/s3-bucket-policy/index.js';
import { S3BucketPublicAccessBlock } from '@cdktf/provider-aws/lib/s3-bucket-public-access-block/index.js';
import { S3BucketServerSideEncryptionConfigurationA } from '@cdktf/provider-aws/lib/s3-bucket-server-side-encryption-configuration/index.js';
import { S3BucketVersioningA } from '@cdktf/provider-aws/lib/s3-bucket-versioning/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import { bucketPrefixOf } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import type { ResolvedArchive } from '../../config/stream-props.ts';
import { EXPIRED_DATE, REMOVED_DATE, tableFolder } from '../../functions/archive/archive-object.ts';
import { toArchiveEnvironment } from '../../functions/archive/settings.ts';
import type { Place } from './place.ts';
import { StreamReader } from './stream-reader.ts';

/** Days after which uploads that were never completed are removed: they cost as much as objects. */
const INCOMPLETE_UPLOAD_DAYS = 7;

export interface ArchiveBucketProps {
  readonly archive: ResolvedArchive;
  readonly sweep: ResolvedProps;
}

/** The bucket of an archive. Like a table it outlives its deployment. */
class ArchiveBucket extends Construct {
  readonly bucketName: string;
  readonly bucket: S3Bucket;
  /** Resources that must exist before the first object: otherwise it would have no version, not your key, or no policy. */
  readonly beforeObjects: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, { archive, sweep }: ArchiveBucketProps) {
    super(scope, id);
    const { kmsKeyArn } = sweep;
    this.bucket = new S3Bucket(this, 'bucket', {
      bucketPrefix: bucketPrefixOf(sweep.name),
      // Fixed, because a new name of the sweep would replace the bucket.
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
          applyServerSideEncryptionByDefault:
            kmsKeyArn === undefined
              ? { sseAlgorithm: 'AES256' }
              : { sseAlgorithm: 'aws:kms', kmsMasterKeyId: kmsKeyArn },
          // One call of KMS serves many objects; without a key this has no effect.
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
    const ownership = new S3BucketOwnershipControls(this, 'ownership', {
      bucket,
      rule: { objectOwnership: 'BucketOwnerEnforced' },
      // S3 refuses to change one while the other is being changed.
      dependsOn: [publicAccess],
    });
    new S3BucketLifecycleConfiguration(this, 'lifecycle', {
      bucket,
      rule: [
        {
          id: 'colder',
          status: 'Enabled',
          filter: [{ prefix: '' }],
          transition: [{ days: archive.coldAfterDays, storageClass: 'GLACIER_IR' }],
          noncurrentVersionTransition: [
            { noncurrentDays: archive.coldAfterDays, storageClass: 'GLACIER_IR' },
          ],
          abortIncompleteMultipartUpload: [{ daysAfterInitiation: INCOMPLETE_UPLOAD_DAYS }],
        },
      ],
      // A rule for versions requires versioning.
      dependsOn: [versioning],
    });
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
            Resource: [this.bucket.arn, `${this.bucket.arn}/*`],
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      }),
      dependsOn: [publicAccess],
    });
    this.beforeObjects = [versioning, encryption, publicAccess, ownership, policy];
  }
}

/** Most records of a call. The limit in the Lambda API reference, CreateEventSourceMapping, is 10,000, but 6 MB end a batch before that. */
const BATCH_SIZE = 1000;

export interface ArchiveProps {
  readonly place: Place;
  readonly tableName: string;
  readonly streamArn: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly archive: ResolvedArchive;
  readonly sweep: ResolvedProps;
}

/** The bucket for a table's removals, and the function that writes them there. */
export class Archive extends Construct {
  /** Undefined if the bucket does not belong to the deployment. */
  readonly bucket: ArchiveBucket | undefined;
  readonly bucketName: string;
  readonly bucketArn: string;
  readonly reader: StreamReader;

  constructor(scope: Construct, id: string, props: ArchiveProps) {
    super(scope, id);
    const { place, tableName, streamArn, environment, archive, sweep } = props;
    if (archive.bucket === undefined) this.bucket = new ArchiveBucket(this, 'bucket', { archive, sweep });
    this.bucketName = this.bucket?.bucketName ?? archive.bucket ?? '';
    this.bucketArn = `arn:${place.partition}:s3:::${this.bucketName}`;
    const folder = `${this.bucketArn}/${tableFolder({ archivePrefix: archive.prefix }, tableName)}`;
    const partitions = archive.removals === 'all' ? [EXPIRED_DATE, REMOVED_DATE] : [EXPIRED_DATE];
    // Not escaped: no field has characters to escape, and the bucket's name is a reference.
    const settings = {
      archiveBucket: this.bucketName,
      archivePrefix: archive.prefix,
      archiveFormat: archive.format,
      archiveRemovals: archive.removals,
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'ArchiveExpiries',
      streamArn,
      environment: { ...environment, ...toArchiveEnvironment(settings, value => value) },
      statements: [
        { actions: ['s3:PutObject'], resources: partitions.map(each => `${folder}${each}*`) },
        // Source: S3 User Guide, "Using server-side encryption with AWS KMS keys", "Permissions".
        {
          actions: ['kms:GenerateDataKey'],
          resources: sweep.kmsKeyArn === undefined ? [] : [sweep.kmsKeyArn],
          condition: { StringLike: { 'kms:ViaService': `s3.${place.region}.amazonaws.*` } },
        },
      ],
      batchSize: BATCH_SIZE,
      batchSeconds: archive.batchSeconds,
      dependsOn: this.bucket?.beforeObjects ?? [],
      sweep,
    });
    this.node.defaultChild = this.reader.mapping;
  }
}
