import { EmulatorError } from '../errors.ts';

export class ApiError extends EmulatorError {
  override readonly name: string;
  readonly status: number;
  readonly members: Readonly<Record<string, string>>;

  constructor(name: string, message: string, status = 400, members: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.members = members;
  }
}

/** Namespace of Step Functions' error types; clients read the part after the `#`. */
const MODEL = 'com.amazonaws.swf.service.v2.model#';
/** Namespaces of the errors that all JSON services of AWS share. */
const FRAMEWORK: Readonly<Record<string, string>> = {
  AccessDeniedException: 'com.amazon.coral.service#',
  InternalFailure: 'com.amazon.coral.service#',
  RequestEntityTooLargeException: 'com.amazon.coral.service#',
  SerializationException: 'com.amazon.coral.service#',
  UnknownOperationException: 'com.amazon.coral.service#',
  ValidationException: 'com.amazon.coral.validate#',
};

export const typeOf = ({ name }: ApiError): string => `${FRAMEWORK[name] ?? MODEL}${name}`;

export const validationError = (detail: string): ApiError =>
  new ApiError('ValidationException', `1 validation error detected: ${detail}`);

export const stateMachineDoesNotExist = (arn: string): ApiError =>
  new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);

export const executionDoesNotExist = (arn: string, why?: string): ApiError =>
  new ApiError(
    'ExecutionDoesNotExist',
    `Execution Does Not Exist: '${arn}'${why === undefined ? '' : `. ${why}`}`,
  );

export const resourceNotFound = (arn: string): ApiError =>
  new ApiError('ResourceNotFound', `Resource not found: '${arn}'`, 400, { resourceName: arn });

export const typeNotSupported = (): ApiError =>
  new ApiError(
    'StateMachineTypeNotSupported',
    'This operation is not supported by this type of state machine',
  );
