import { PreciseTtlError } from '../expiry/index.ts';

/**
 * What can go wrong in the local cloud because of something a person wrote or has installed. The message
 * always says what is wrong and where, what was expected and what to do; a command prints it without a stack.
 */
export class LocalCloudError extends PreciseTtlError {
  override readonly name: string = 'LocalCloudError';
}

/** The synthesized Terraform holds something that can't be read, or that can't be run faithfully. */
export class TerraformError extends LocalCloudError {
  override readonly name = 'TerraformError';
  /** Every problem found, one sentence each, so that they can be mended in one go. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? `${problems[0]}`
        : `${problems.length} problems in the synthesized Terraform:\n${problems.map(p => `  - ${p}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/** DynamoDB Local can't be started or reached. */
export class DynamoDbLocalError extends LocalCloudError {
  override readonly name = 'DynamoDbLocalError';
}

/** A port that somebody else has. */
export class PortInUseError extends LocalCloudError {
  override readonly name = 'PortInUseError';
}

/** A table of the definition and the one at the endpoint don't agree. */
export class TableMismatchError extends LocalCloudError {
  override readonly name = 'TableMismatchError';
}

/** A schedule that EventBridge Scheduler would refuse, or that the local scheduler can't run faithfully. */
export class ScheduleError extends LocalCloudError {
  override readonly name = 'ScheduleError';
}

/** Something was asked for by a name that doesn't exist in this cloud. */
export class NotFoundError extends LocalCloudError {
  override readonly name = 'NotFoundError';
}

/** A file with checkpoints of event source mappings that can't be used. */
export class CheckpointError extends LocalCloudError {
  override readonly name = 'CheckpointError';
}
