import {
  ALLOWED_NAME,
  type Definition,
  type DefinitionProblem,
  InvalidDefinitionError,
  isAllowedName,
  loadDefinition,
  type WorkflowType,
} from '../../interpreter/index.ts';
import { type Operation, refuseMetadataOnly, seconds } from '../context.ts';
import { ApiError } from '../errors.ts';
import { type Members, takeItems, takeMachineArn, takePage, takeRoleArn } from '../members.ts';

const TYPES = ['STANDARD', 'EXPRESS'] as const satisfies readonly WorkflowType[];
const DEFINITION_LENGTH = { min: 1, max: 1_048_576 };
/** Maximum number of problems in one error message. After a user has corrected these problems, the next message shows further problems. */
const MAX_PROBLEMS = 20;

export const createStateMachine: Operation = ({ stateMachines, account, region, partition }, members) => {
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
    definition: load(definitionText, type),
    definitionText,
  });
  return { stateMachineArn: machine.arn, creationDate: seconds(machine.creationDate) };
};

export const updateStateMachine: Operation = ({ stateMachines }, members) => {
  refuseVersionsAndTags(members);
  const machine = stateMachines.get(takeMachineArn(members));
  const definitionText = members.optionalString('definition', DEFINITION_LENGTH);
  const changes = {
    ...(definitionText !== undefined && {
      definitionText,
      definition: load(definitionText, machine.type),
    }),
    ...(members.has('roleArn') && { roleArn: takeRoleArn(members) }),
  };
  if (Object.keys(changes).length === 0) {
    throw new ApiError('MissingRequiredParameter', 'Either the definition or the role ARN must be specified');
  }
  return { updateDate: seconds(stateMachines.update(machine.arn, changes).updateDate) };
};

export const describeStateMachine: Operation = ({ stateMachines }, members) => {
  refuseMetadataOnly(members);
  const { arn, name, type, roleArn, definitionText, creationDate } = stateMachines.get(
    takeMachineArn(members),
  );
  return {
    ...{ stateMachineArn: arn, name, status: 'ACTIVE', type, roleArn, definition: definitionText },
    creationDate: seconds(creationDate),
  };
};

/** Deletes a state machine. The operation also succeeds when the state machine does not exist, as on AWS. */
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

function load(text: string, type: WorkflowType): Definition {
  try {
    return loadDefinition(text, type);
  } catch (error) {
    if (!(error instanceof InvalidDefinitionError)) throw error;
    throw invalidDefinition(error);
  }
}

function invalidDefinition({ problems }: InvalidDefinitionError): ApiError {
  const shown = problems.slice(0, MAX_PROBLEMS).map(problem => {
    const [code, message] = diagnosticOf(problem);
    // Recorded on AWS: the message says `Choices[0]` for `Choices/0`, and `null` for a problem of the whole definition.
    const at = problem.path.replace(/(?<=\/(?:Choices|Catch|Branches))\/(\d+)/g, '[$1]') || null;
    return `${code}: ${message} at ${at}`;
  });
  return new ApiError('InvalidDefinition', `Invalid State Machine Definition: '${shown.join(', ')}'`);
}

function diagnosticOf({
  expected,
  got,
  diagnostic,
}: DefinitionProblem): readonly [code: string, message: string] {
  if (diagnostic !== undefined) return [diagnostic.code, diagnostic.message];
  if (expected === 'JSON') return ['INVALID_JSON_DESCRIPTION', got];
  return ['SCHEMA_VALIDATION_FAILED', `expected ${expected}, got ${got}`];
}

/** Refuses requests with a version or tags: the emulator stores neither, and a later request for the version or tags would fail. */
function refuseVersionsAndTags(members: Members): void {
  if (members.boolean('publish') === true || members.has('versionDescription')) {
    throw notEmulated(members.has('publish') ? 'publish' : 'versionDescription', 'versions');
  }
  if ((members.list('tags')?.length ?? 0) > 0) throw notEmulated('tags', 'tags');
}

const notEmulated = (member: string, what: string): ApiError =>
  new ApiError(
    'ValidationException',
    `${member}: expected nothing, since there are no ${what} here; leave it out`,
  );
