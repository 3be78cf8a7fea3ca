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
import { isMetadataOnly, type Operation, optional, seconds } from '../context.ts';
import { ApiError, notImplemented } from '../errors.ts';
import type { Members } from '../members.ts';
import { takeItems, takePage } from '../paging.ts';
import { NO_LOGGING, NO_TRACING, type StateMachine } from '../state-machines.ts';
import { readTags } from './tags.ts';

const TYPES = ['STANDARD', 'EXPRESS'] as const satisfies readonly WorkflowType[];
const DEFINITION_LENGTH = { min: 1, max: 1_048_576 };
/** An error has room for so many; the rest is shown once these are mended. */
const MAX_PROBLEMS = 20;
const MAX_DIAGNOSTICS = 100;

export const createStateMachine: Operation = ({ stateMachines, account, region, partition }, members) => {
  refuseUnimplemented(members);
  const name = members.string('name', { min: 1, max: 80 });
  if (!isAllowedName(name)) {
    throw new ApiError('InvalidName', `Invalid Name: '${name}' (expected ${ALLOWED_NAME})`);
  }
  const definitionText = members.string('definition', DEFINITION_LENGTH);
  const roleArn = takeRoleArn(members);
  const type = members.oneOf('type', TYPES) ?? 'STANDARD';
  const tags = readTags(members, 'tags');
  const known = stateMachines.all.length;
  const machine = stateMachines.create({
    arn: `arn:${partition}:states:${region}:${account}:stateMachine:${name}`,
    name,
    type,
    roleArn,
    definition: load(definitionText, type),
    definitionText,
    loggingConfiguration: members.plainObject('loggingConfiguration') ?? NO_LOGGING,
    tracingConfiguration: members.plainObject('tracingConfiguration') ?? NO_TRACING,
  });
  if (stateMachines.all.length > known) stateMachines.tag(machine.arn, tags);
  return { stateMachineArn: machine.arn, creationDate: seconds(machine.creationDate) };
};

export const updateStateMachine: Operation = ({ stateMachines }, members) => {
  refuseUnimplemented(members);
  const machine = stateMachines.get(takeMachineArn(members));
  const definitionText = members.optionalString('definition', DEFINITION_LENGTH);
  const changes = {
    ...(definitionText !== undefined && {
      definitionText,
      definition: load(definitionText, machine.type),
    }),
    ...(members.has('roleArn') && { roleArn: takeRoleArn(members) }),
    ...optional('loggingConfiguration', members.plainObject('loggingConfiguration')),
    ...optional('tracingConfiguration', members.plainObject('tracingConfiguration')),
  };
  if (Object.keys(changes).length === 0) {
    throw new ApiError(
      'MissingRequiredParameter',
      'Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified',
    );
  }
  const { updateDate, revisionId } = stateMachines.update(machine.arn, changes);
  return { updateDate: seconds(updateDate), ...optional('revisionId', revisionId) };
};

export const describeStateMachine: Operation = ({ stateMachines }, members) => {
  const machine = stateMachines.get(takeMachineArn(members));
  return {
    ...describe(machine, isMetadataOnly(members)),
    status: 'ACTIVE',
    type: machine.type,
    creationDate: seconds(machine.creationDate),
  };
};

export const describeStateMachineForExecution: Operation = ({ executions }, members) => {
  const { execution, started } = executions.get(takeExecutionArn(members));
  const { arn: stateMachineArn, name } = execution.machine;
  return {
    ...describe(started.stateMachine, isMetadataOnly(members)),
    // Those of the Map, for an execution that a Map Run started.
    stateMachineArn,
    name,
    updateDate: seconds(started.stateMachine.updateDate),
    ...optional('mapRunArn', execution.mapRunArn),
    ...optional('label', name.split('/')[1]),
  };
};

/** Succeeds also when there is none, as on AWS. */
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

export const validateStateMachineDefinition: Operation = (_context, members) => {
  const definition = members.string('definition', DEFINITION_LENGTH);
  const type = members.oneOf('type', TYPES) ?? 'STANDARD';
  // There are no warnings: whatever is wrong is an error.
  members.oneOf('severity', ['ERROR', 'WARNING']);
  const most = members.integer('maxResults', 0, MAX_DIAGNOSTICS) || MAX_DIAGNOSTICS;
  const diagnostics = problemsOf(definition, type).map(problem => ({
    severity: 'ERROR',
    code: problem.expected === 'JSON' ? 'INVALID_JSON_DESCRIPTION' : 'SCHEMA_VALIDATION_FAILED',
    message: `expected ${problem.expected}, got ${problem.got}`,
    location: problem.path || '/',
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
    ...optional('revisionId', machine.revisionId),
  };
}

function problemsOf(definition: string, type: WorkflowType): readonly DefinitionProblem[] {
  try {
    loadDefinition(definition, type);
    return [];
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return error.problems;
    throw error;
  }
}

function load(text: string, type: WorkflowType): Definition {
  try {
    return loadDefinition(text, type);
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    throw invalidDefinition(error);
  }
}

/** What is wrong with a definition, as the API says it. */
export function invalidDefinition({ problems }: InvalidDefinitionError): ApiError {
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, expected, got }) =>
      expected === 'JSON'
        ? `INVALID_JSON_DESCRIPTION: ${got}`
        : `SCHEMA_VALIDATION_FAILED: expected ${expected}, got ${got} at ${path || '/'}`,
    );
  return new ApiError('InvalidDefinition', `Invalid State Machine Definition: '${shown.join(', ')}'`);
}

/** What would make AWS do something that can't be done here. */
function refuseUnimplemented(members: Members): void {
  if (members.boolean('publish')) throw notImplemented('publish', 'publishing versions');
  if (members.has('versionDescription')) throw notImplemented('versionDescription', 'publishing versions');
  const encryption = members.object('encryptionConfiguration');
  const kind = encryption?.oneOf('type', ['AWS_OWNED_KEY', 'CUSTOMER_MANAGED_KMS_KEY']);
  if (kind === 'CUSTOMER_MANAGED_KMS_KEY') {
    throw notImplemented('encryptionConfiguration.type', 'encryption with a key of your own');
  }
}
