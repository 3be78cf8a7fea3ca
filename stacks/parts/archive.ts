import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import type { ResolvedArchive } from '../../config/stream-props.ts';
import { EXPIRED_DATE, REMOVED_DATE, tableFolder } from '../../functions/archive/archive-object.ts';
import { toArchiveEnvironment } from '../../functions/archive/settings.ts';
import { ArchiveBucket } from './archive-bucket.ts';
import type { Place } from './place.ts';
import { StreamReader } from './stream-reader.ts';

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
