import type { FunctionInvoker, FunctionResult } from '../interpreter/index.ts';
import type { ApiContext } from './context.ts';
import { ApiError, validationError } from './errors.ts';
import { isObject, Members } from './members.ts';
import { startAlone } from './operations/executions.ts';

/** Arguments that `states:startExecution` accepts. The API operation StartExecution has the same names with a small first letter. */
const ARGUMENTS = ['Input', 'Name', 'StateMachineArn', 'TraceHeader'];

/**
 * Implements the Resource `states:startExecution`.
 * @param context a function, because the context needs an engine, and the engine needs this invoker
 */
export function nestedExecutions(context: () => ApiContext): FunctionInvoker {
  return {
    async invoke(_resource, args) {
      try {
        const { execution } = startAlone(context(), new Members(membersOf(args)));
        return {
          ok: true,
          payload: {
            ExecutionArn: execution.arn,
            SdkHttpMetadata: { HttpStatusCode: 200 },
            // AWS's optimized integrations return epoch milliseconds; the API returns epoch seconds.
            StartDate: execution.startDate,
          },
        };
      } catch (error) {
        if (error instanceof ApiError) return refused(error);
        throw error;
      }
    },
  };
}

function membersOf(args: unknown): Record<string, unknown> {
  if (!isObject(args)) throw validationError('the Arguments must be an object');
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (!ARGUMENTS.includes(name)) {
      throw validationError(`the Arguments may have ${ARGUMENTS.join(', ')}, got ${name}`);
    }
    const member = name.charAt(0).toLowerCase() + name.slice(1);
    members[member] = name === 'Input' && typeof value !== 'string' ? JSON.stringify(value) : value;
  }
  return members;
}

const refused = ({ name, message }: ApiError): FunctionResult => ({
  ok: false,
  errorType: `StepFunctions.${name.replace(/(Exception)?$/, 'Exception')}`,
  errorMessage: message,
  cause: `${message} (Service: AWSStepFunctions; Status Code: 400)`,
});
