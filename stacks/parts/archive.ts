import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import { EXPIRED_DATE, REMOVED_DATE, tableFolder } from '../../functions/archive/archive-object.ts';
import { type ArchiveSettings, toArchiveEnvironment } from '../../functions/archive/settings.ts';
import type { ResolvedProps } from '../props.ts';
import type { ResolvedArchive } from '../stream-props.ts';
import { ArchiveBucket } from './archive-bucket.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { StreamReader } from './stream-reader.ts';

/** The most records of a call. Source: Lambda API reference, CreateEventSourceMapping, is 10,000; 6 MB end a batch before that. */
const BATCH_SIZE = 1000;

export interface ArchiveProps {
  readonly place: Place;
  readonly tableName: string;
  readonly streamArn: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly archive: ResolvedArchive;
  readonly sweep: ResolvedProps;
}

/** Where a table's removals are kept, and the function that brings them there. */
export class Archive extends Construct {
  /** Undefined when it is not the deployment's own. */
  readonly bucket: ArchiveBucket | undefined;
  readonly bucketName: string;
  readonly bucketArn: string;
  readonly reader: StreamReader;
  /** What whoever archives waits for. Empty for a bucket that is not the deployment's own. */
  readonly beforeObjects: readonly ITerraformDependable[];
  /** For whatever archives. */
  readonly settings: ArchiveSettings;

  readonly #place: Place;
  readonly #sweep: ResolvedProps;
  readonly #folder: string;

  constructor(scope: Construct, id: string, props: ArchiveProps) {
    super(scope, id);
    const { place, tableName, streamArn, environment, archive, sweep } = props;
    this.#place = place;
    this.#sweep = sweep;
    if (archive.bucket === undefined) this.bucket = new ArchiveBucket(this, 'bucket', { archive, sweep });
    this.bucketName = this.bucket?.bucketName ?? archive.bucket ?? '';
    this.bucketArn = `arn:${place.partition}:s3:::${this.bucketName}`;
    this.beforeObjects = this.bucket?.beforeObjects ?? [];
    this.#folder = tableFolder({ archivePrefix: archive.prefix }, tableName);
    // Not escaped: no field can have anything to escape, and the bucket's name is a reference.
    this.settings = {
      archiveBucket: this.bucketName,
      archivePrefix: archive.prefix,
      archiveFormat: archive.format,
      archiveRemovals: archive.removals,
    };
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'ArchiveExpiries',
      streamArn,
      environment: { ...environment, ...toArchiveEnvironment(this.settings, value => value) },
      // Not the copies that DeleteChunk made before its deletes: those are the proof of what the stream's lines say.
      statements: this.#putStatements([
        `${EXPIRED_DATE}*`,
        ...(archive.removals === 'all' ? [`${REMOVED_DATE}*`] : []),
      ]),
      batchSize: BATCH_SIZE,
      batchSeconds: archive.batchSeconds,
      dependsOn: this.beforeObjects,
      sweep,
    });
    this.node.defaultChild = this.reader.mapping;
  }

  /** What DeleteChunk needs besides, to put an item's image into the archive before it deletes the item. */
  firstStatements(tableArn: string): Statement[] {
    return [
      { actions: ['dynamodb:BatchGetItem'], resources: [tableArn] },
      ...this.#putStatements(['before_deletion/*', 'kept/*']),
    ];
  }

  /** @param keys below those of the table */
  #putStatements(keys: readonly string[]): Statement[] {
    const { kmsKeyArn } = this.#sweep;
    return [
      { actions: ['s3:PutObject'], resources: keys.map(key => `${this.bucketArn}/${this.#folder}${key}`) },
      // Source: S3 User Guide, "Using server-side encryption with AWS KMS keys", "Permissions".
      ...(kmsKeyArn === undefined
        ? []
        : [
            {
              actions: ['kms:GenerateDataKey'],
              resources: [kmsKeyArn],
              condition: { StringLike: { 'kms:ViaService': `s3.${this.#place.region}.amazonaws.*` } },
            },
          ]),
    ];
  }
}
