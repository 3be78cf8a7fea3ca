import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import type { ResolvedArchive } from '../../config/stream-props.ts';
import { EXPIRED_DATE, REMOVED_DATE, tableFolder } from '../../functions/archive/archive-object.ts';
import { type ArchiveSettings, toArchiveEnvironment } from '../../functions/archive/settings.ts';
import { ArchiveBucket } from './archive-bucket.ts';
import { journalEnvironment } from './journal.ts';
import type { Place } from './place.ts';
import { Proof } from './proof.ts';
import type { Statement } from './role-policies.ts';
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
  readonly proof: Proof;
  /** Resources for which the archiving functions wait. Empty if the bucket does not belong to the deployment. */
  readonly beforeObjects: readonly ITerraformDependable[];
  /** The settings of functions that archive. */
  readonly settings: ArchiveSettings;

  readonly #folderArn: string;

  constructor(scope: Construct, id: string, props: ArchiveProps) {
    super(scope, id);
    const { place, tableName, streamArn, environment, archive, sweep } = props;
    if (archive.bucket === undefined) this.bucket = new ArchiveBucket(this, 'bucket', { archive, sweep });
    this.bucketName = this.bucket?.bucketName ?? archive.bucket ?? '';
    this.bucketArn = `arn:${place.partition}:s3:::${this.bucketName}`;
    this.beforeObjects = this.bucket?.beforeObjects ?? [];
    this.#folderArn = folderArn(place, this.bucketName, archive.prefix, tableName);
    // Not escaped: no field has characters to escape, and the bucket's name is a reference.
    this.settings = archiveSettings(this.bucketName, archive);
    this.reader = new StreamReader(this, 'reader', {
      place,
      name: 'ArchiveExpiries',
      book: 'archived',
      streamArn,
      environment: {
        ...environment,
        ...toArchiveEnvironment(this.settings, value => value),
        ...journalEnvironment(sweep.sweep),
      },
      statements: putStatements(
        this.#arnsOf([`${EXPIRED_DATE}*`, ...(archive.removals === 'all' ? [`${REMOVED_DATE}*`] : [])]),
        sweep,
        place,
      ),
      batchSize: BATCH_SIZE,
      batchSeconds: archive.batchSeconds,
      dependsOn: this.beforeObjects,
      sweep,
    });
    this.proof = new Proof(this, 'proof', {
      ...{ place, tableName, environment, sweep },
      archive: this.settings,
      beforeObjects: this.beforeObjects,
    });
    this.node.defaultChild = this.reader.mapping;
  }

  /** ARNs of objects. @param keys key patterns below the table's folder */
  #arnsOf(keys: readonly string[]): readonly string[] {
    return keys.map(key => `${this.#folderArn}${key}`);
  }
}

/** The settings of functions that archive. */
export function archiveSettings(bucketName: string, archive: ResolvedArchive): ArchiveSettings {
  return {
    archiveBucket: bucketName,
    archivePrefix: archive.prefix,
    archiveFormat: archive.format,
    archiveRemovals: archive.removals,
  };
}

/** The ARN of a table's folder, with the slash at the end. */
export function folderArn(place: Place, bucketName: string, prefix: string, tableName: string): string {
  return `arn:${place.partition}:s3:::${bucketName}/${tableFolder({ archivePrefix: prefix }, tableName)}`;
}

interface Encrypted {
  readonly kmsKeyArn?: string | undefined;
}

function putStatements(objectArns: readonly string[], { kmsKeyArn }: Encrypted, place: Place): Statement[] {
  return [
    { actions: ['s3:PutObject'], resources: objectArns },
    // Source: S3 User Guide, "Using server-side encryption with AWS KMS keys", "Permissions".
    {
      actions: ['kms:GenerateDataKey'],
      resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
      condition: { StringLike: { 'kms:ViaService': `s3.${place.region}.amazonaws.*` } },
    },
  ];
}
