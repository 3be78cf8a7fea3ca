import {
  ALLOWED_NAME,
  type Definition,
  type DefinitionProblem,
  InvalidDefinitionError,
  isAllowedName,
  loadDefinition,
  type WorkflowType,
} from '../../interpreter/index.ts';
import { takeExecutionArn, takeMachineArn, takeRoleArn } from '../arns.ts';
import { takeEncryption, takeLogging, takeTracing } from '../configurations.ts';
import { type ApiContext, isMetadataOnly, type Operation, optional, seconds } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { Members } from '../members.ts';
import { takeItems, takePage } from '../paging.ts';
import { NO_LOGGING, NO_TRACING, type StateMachine } from '../state-machine.ts';

const TYPES = ['STANDARD', 'EXPRESS'] as const satisfies readonly WorkflowType[];
const DEFINITION_LENGTH = { min: 1, max: 1_048_576 };
/** Largest number of problems in an error; the others are shown once these are corrected. */
const MAX_PROBLEMS = 20;
const MAX_DIAGNOSTICS = 100;

export const createStateMachine: Operation = (context, members) => {
  const { stateMachines, account, region, partition } = context;
  refuseVersionsAndTags(members);
  const name = members.string('name', { min: 1, max: 80 });
  if (!isAllowedName(name)) {
    throw new ApiError('InvalidName', `Invalid Name: '${name}' (expected ${ALLOWED_NAME})`);
  }
  const definitionText = members.string('definition', DEFINITION_LENGTH);
  const roleArn = takeRoleArn(members);
  const type = members.oneOf('type', TYPES) ?? 'STANDARD';
  const machine = stateMachines.create({
    arn: `arn:${partition}:states:${region}:${account}:stateMachine:${name}`,
    name,
    type,
    roleArn,
    definition: load(context, definitionText, type),
    definitionText,
    loggingConfiguration: takeLogging(members) ?? NO_LOGGING,
    tracingConfiguration: takeTracing(members) ?? NO_TRACING,
    encryptionConfiguration: takeEncryption(members),
  });
  return { stateMachineArn: machine.arn, creationDate: seconds(machine.creationDate) };
};

export const updateStateMachine: Operation = (context, members) => {
  const { stateMachines } = context;
  refuseVersionsAndTags(members);
  const machine = stateMachines.get(takeMachineArn(members));
  const definitionText = members.optionalString('definition', DEFINITION_LENGTH);
  const changes = {
    ...(definitionText !== undefined && {
      definitionText,
      definition: load(context, definitionText, machine.type),
    }),
    ...(members.has('roleArn') && { roleArn: takeRoleArn(members) }),
    ...optional('loggingConfiguration', takeLogging(members)),
    ...optional('tracingConfiguration', takeTracing(members)),
    ...optional('encryptionConfiguration', takeEncryption(members)),
  };
  if (Object.keys(changes).length === 0) {
    throw new ApiError(
      'MissingRequiredParameter',
      'Either the definition, the role ARN, the LoggingConfiguration, the TracingConfiguration, or the ' +
        'EncryptionConfiguration must be specified',
    );
  }
  return { updateDate: seconds(stateMachines.update(machine.arn, changes).updateDate) };
};

export const describeStateMachine: Operation = ({ stateMachines }, members) => {
  const stateMachine = stateMachines.get(takeMachineArn(members));
  return {
    ...describe(stateMachine, isMetadataOnly(members)),
    status: 'ACTIVE',
    type: stateMachine.type,
    creationDate: seconds(stateMachine.creationDate),
  };
};

export const describeStateMachineForExecution: Operation = ({ executions }, members) => {
  const { execution, started } = executions.get(takeExecutionArn(members));
  const { arn: stateMachineArn, name } = execution.machine;
  return {
    ...describe(started.stateMachine, isMetadataOnly(members)),
    // For a child execution, these are the state machine and the role of the Map.
    stateMachineArn,
    name,
    updateDate: seconds(started.stateMachine.updateDate),
    ...optional('mapRunArn', execution.mapRunArn),
    ...optional('label', name.split('/')[1]),
  };
};

/** Succeeds also when the state machine does not exist, as on AWS. */
export const deleteStateMachine: Operation = ({ stateMachines, executions }, members) => {
  const arn = takeMachineArn(members);
  if (stateMachines.delete(arn)) executions.forget(arn);
  return {};
};

export const listStateMachines: Operation = ({ stateMachines }, members) => {
  const page = takePage(members, 'ListStateMachines');
  const { items, ...more } = takeItems(page, stateMachines.all, machine => machine.name);
  const listed = items.map(({ arn, name, type, creationDate }) => ({
    stateMachineArn: arn,
    name,
    type,
    creationDate: seconds(creationDate),
  }));
  return { stateMachines: listed, ...more };
};

export const validateStateMachineDefinition: Operation = (context, members) => {
  const definition = members.string('definition', DEFINITION_LENGTH);
  const type = members.oneOf('type', TYPES) ?? 'STANDARD';
  // There are no warnings: every problem is an error.
  members.oneOf('severity', ['ERROR', 'WARNING']);
  const most = members.integer('maxResults', 0, MAX_DIAGNOSTICS) || MAX_DIAGNOSTICS;
  const diagnostics = problemsOf(context, definition, type).map(problem => ({
    severity: 'ERROR',
    ...diagnosticOf(problem),
  }));
  return {
    result: diagnostics.length === 0 ? 'OK' : 'FAIL',
    diagnostics: diagnostics.slice(0, most),
    truncated: diagnostics.length > most,
  };
};

function describe(machine: StateMachine, metadataOnly: boolean): object {
  return {
    stateMachineArn: machine.arn,
    name: machine.name,
    ...(!metadataOnly && { definition: machine.definitionText }),
    roleArn: machine.roleArn,
    loggingConfiguration: machine.loggingConfiguration,
    tracingConfiguration: machine.tracingConfiguration,
    ...optional('encryptionConfiguration', machine.encryptionConfiguration),
  };
}

type Loading = Pick<ApiContext, 'isMocked'>;

function problemsOf(
  { isMocked }: Loading,
  definition: string,
  type: WorkflowType,
): readonly DefinitionProblem[] {
  try {
    loadDefinition(definition, type, isMocked);
    return [];
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.problems;
    throw error;
  }
}

function load({ isMocked }: Loading, text: string, type: WorkflowType): Definition {
  try {
    return loadDefinition(text, type, isMocked);
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    throw invalidDefinition(error);
  }
}

/** Returns a problem with AWS's code and message, where they are known. */
function diagnosticOf({ path, expected, got, diagnostic }: DefinitionProblem) {
  const location =
    path === '' ? undefined : path.replace(/(?<=\/(?:Choices|Catch|Branches))\/(\d+)/g, '[$1]');
  if (diagnostic !== undefined) return { ...diagnostic, location };
  if (expected === 'JSON') return { code: 'INVALID_JSON_DESCRIPTION', message: got, location };
  return { code: 'SCHEMA_VALIDATION_FAILED', message: `expected ${expected}, got ${got}`, location };
}

/** Converts the problems of a definition to the API's error. */
function invalidDefinition({ problems }: InvalidDefinitionError): ApiError {
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map(diagnosticOf)
    // A problem of the whole definition is at "null", as recorded on AWS.
    .map(({ code, message, location = null }) => `${code}: ${message} at ${location}`);
  return new ApiError('InvalidDefinition', `Invalid State Machine Definition: '${shown.join(', ')}'`);
}

/** A client that relies on a version or a tag is told that there are none, instead of missing them later. */
function refuseVersionsAndTags(members: Members): void {
  if (members.boolean('publish') === true || members.has('versionDescription')) {
    throw notEmulated(members.has('publish') ? 'publish' : 'versionDescription', 'versions');
  }
  if ((members.objects('tags')?.length ?? 0) > 0) throw notEmulated('tags', 'tags');
}

const notEmulated = (member: string, what: string): ApiError =>
  new ApiError(
    'ValidationException',
    `${member}: expected nothing, since there are no ${what} here; leave it out`,
  );
