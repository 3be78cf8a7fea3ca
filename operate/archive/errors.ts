import { PreciseTtlError } from '../../expiry/errors.ts';
import { FieldError } from '../input-error.ts';

/** There is no archive of the table where one was looked for. */
export class ArchiveNotFoundError extends FieldError {
  override readonly name = 'ArchiveNotFoundError';
}

/** A line in an object of an archive cannot be restored. */
export class ArchivedLineError extends PreciseTtlError {
  override readonly name = 'ArchivedLineError';
}

/** S3 does not answer as it should. */
export class ArchiveUnreadableError extends PreciseTtlError {
  override readonly name = 'ArchiveUnreadableError';
}
