import { PreciseTtlError } from '../../expiry/errors.ts';
import { FieldError } from '../input-error.ts';

/** The table has no archive at this place. */
export class ArchiveNotFoundError extends FieldError {
  override readonly name = 'ArchiveNotFoundError';
}

/** A line of an archived object cannot be restored. */
export class ArchivedLineError extends PreciseTtlError {
  override readonly name = 'ArchivedLineError';
}

/** S3 gave an unexpected answer. */
export class ArchiveUnreadableError extends PreciseTtlError {
  override readonly name = 'ArchiveUnreadableError';
}
