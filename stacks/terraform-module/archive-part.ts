import type { Construct } from 'constructs';
import { type ResolvedArchive, resolvedArchive } from '../../config/stream-props.ts';
import { expression, hcl } from '../../config/values.ts';
import { Archive } from '../parts/archive.ts';
import { PartStack } from './part-stack.ts';
import { snake } from './snake.ts';

const { prefix, removals, format, batchSeconds } = resolvedArchive({});

/** Type of a table's archive in the module. The bucket is not made by the module, like the table: a static module could not forget it. */
export const ARCHIVE_TYPE = `object({
  bucket = object({ id = string })
  prefix = optional(string, ${hcl(prefix)})
  removals = optional(string, ${hcl(removals)})
  format = optional(string, ${hcl(format)})
  batch_seconds = optional(number, ${hcl(batchSeconds)})
})`;

/** The archive of a table. @param scope expression for its settings: `t.archive` */
export function openArchive(scope: string): ResolvedArchive & { readonly bucket: string } {
  const field = <Type>(name: string) => expression<Type>(`${scope}.${snake(name)}`);
  return {
    bucket: expression(`${scope}.bucket.id`),
    prefix: field('prefix'),
    removals: field('removals'),
    format: field('format'),
    batchSeconds: field('batchSeconds'),
    // Lifecycle rules are up to the owner of the bucket.
    coldAfterDays: 0,
  };
}

export class ArchivePart extends PartStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { place, environment, streamArn, sweep } = this;
    const { reader } = new Archive(this, id, {
      place,
      tableName: sweep.tableName,
      environment,
      streamArn,
      archive: openArchive('var.settings.archive'),
      sweep,
    });
    this.alarmsOf('archive');
    this.outputs(this.readerOutputs(reader));
  }
}
