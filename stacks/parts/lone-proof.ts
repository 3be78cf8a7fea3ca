import { Construct } from 'constructs';
import { resolvedArchive } from '../../config/stream-props.ts';
import { archiveSettings } from './archive.ts';
import { ArchiveBucket } from './archive-bucket.ts';
import { Proof, type ProofProps } from './proof.ts';

/**
 * The proof of a table that has no archive, in a bucket of its own. The bucket has the path of an archive's: if the table gets an archive
 * later, it keeps the bucket, and the chain of manifests continues.
 */
export class LoneProof extends Construct {
  readonly bucket: ArchiveBucket;
  readonly bucketName: string;
  readonly proof: Proof;

  constructor(scope: Construct, id: string, props: Omit<ProofProps, 'archive' | 'beforeObjects'>) {
    super(scope, id);
    const archive = resolvedArchive({});
    this.bucket = new ArchiveBucket(this, 'bucket', { archive, sweep: props.sweep });
    this.bucketName = this.bucket.bucketName;
    this.proof = new Proof(this, 'proof', {
      ...props,
      archive: archiveSettings(this.bucketName, archive),
      beforeObjects: this.bucket.beforeObjects,
    });
  }
}
