import { InvalidDefinitionError } from '../../interpreter/index.ts';
import type { Json, JsonObject } from '../../interpreter/json.ts';
import {
  type InspectionData,
  InvalidTestStateError,
  type TestStateConfiguration,
  type TestStateMock,
  type TestStateRequest,
} from '../../test-state/index.ts';
import { takeRoleArn } from '../arns.ts';
import { type Operation, optional } from '../context.ts';
import { ApiError, validationError } from '../errors.ts';
import { isObject, type Members } from '../members.ts';
import { invalidDefinition } from './state-machines.ts';

const DEFINITION_LENGTH = { min: 1, max: 1_048_576 };
const DATA_LENGTH = { max: 262_144 };
const NAME_LENGTH = { min: 1, max: 80 };
/** The API model's limit is the largest Integer. */
const MOST = 2_147_483_647;

/** Runs one state. A Task without a mock calls its function, and a Wait waits. */
export const testState: Operation = async ({ stateTester }, members) => {
  const request = readRequest(members);
  try {
    const { output, inspectionData, ...result } = await stateTester.test(request);
    return {
      ...result,
      ...optional('output', output === undefined ? undefined : JSON.stringify(output)),
      ...optional('inspectionData', inspectionData && asTexts(inspectionData)),
    };
  } catch (error) {
    if (error instanceof InvalidDefinitionError) throw invalidDefinition(error);
    if (error instanceof InvalidTestStateError) throw new ApiError(error.code, error.message);
    throw error;
  }
};

function readRequest(members: Members): TestStateRequest {
  const input = members.optionalString('input', DATA_LENGTH) ?? '{}';
  const mock = members.object('mock');
  const configuration = members.object('stateConfiguration');
  return {
    definition: members.string('definition', DEFINITION_LENGTH),
    input: parse(input, why => {
      const message = `Invalid State Machine Execution Input: 'expected JSON, got ${why}'`;
      return new ApiError('InvalidExecutionInput', message);
    }),
    inspectionLevel: members.oneOf('inspectionLevel', ['INFO', 'DEBUG', 'TRACE']) ?? 'INFO',
    revealSecrets: members.boolean('revealSecrets') ?? false,
    ...optional('stateName', members.optionalString('stateName', NAME_LENGTH)),
    ...(members.has('roleArn') && { roleArn: takeRoleArn(members) }),
    ...optional('variables', takeVariables(members)),
    ...optional('context', takeJson(members, 'context')),
    ...optional('mock', mock && readMock(mock)),
    ...optional('stateConfiguration', configuration && readConfiguration(configuration)),
  };
}

function readMock(mock: Members): TestStateMock {
  const result = takeJson(mock, 'result', 'Mocked result must be valid JSON');
  const errorOutput = mock.object('errorOutput');
  const mode = mock.oneOf('fieldValidationMode', ['STRICT', 'PRESENT', 'NONE']);
  return {
    ...(result !== undefined && { result }),
    ...(errorOutput !== undefined && {
      errorOutput: {
        error: errorOutput.string('error', { max: 256 }),
        cause: errorOutput.optionalString('cause', { max: 32_768 }),
      },
    }),
    ...(mode !== undefined && { fieldValidationMode: mode }),
  };
}

const readConfiguration = (configuration: Members): TestStateConfiguration => ({
  ...optional('retrierRetryCount', configuration.integer('retrierRetryCount', 0, MOST)),
  ...optional('errorCausedByState', configuration.optionalString('errorCausedByState', NAME_LENGTH)),
  ...optional('mapIterationFailureCount', configuration.integer('mapIterationFailureCount', 0, MOST)),
  ...optional('mapItemReaderData', configuration.optionalString('mapItemReaderData', DATA_LENGTH)),
});

function takeVariables(members: Members): JsonObject | undefined {
  const variables = takeJson(members, 'variables');
  if (variables === undefined || isObject(variables)) return variables as JsonObject | undefined;
  throw validationError(
    "Value at 'variables' failed to satisfy constraint: Member must be the JSON text of an object",
  );
}

function takeJson(members: Members, name: string, refusal?: string): Json | undefined {
  const text = members.optionalString(name, DATA_LENGTH);
  if (text === undefined) return undefined;
  return parse(text, why => {
    if (refusal !== undefined) return new ApiError('ValidationException', refusal);
    return validationError(
      `Value at '${name}' failed to satisfy constraint: Member must be JSON text, got ${why}`,
    );
  });
}

function parse(text: string, refuse: (why: string) => ApiError): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw refuse(error instanceof RangeError ? 'values nested too deeply' : (error as Error).message);
  }
}

/** Numbers and the details of an error stay as they are; all other values become JSON text. */
function asTexts({ errorDetails, ...data }: InspectionData): object {
  const members = Object.entries(data).map(([name, value]) => [
    name,
    AS_NUMBER.has(name) ? value : JSON.stringify(value),
  ]);
  return { ...Object.fromEntries(members), ...optional('errorDetails', errorDetails) };
}

const AS_NUMBER = new Set(['maxConcurrency', 'toleratedFailureCount', 'toleratedFailurePercentage']);
