import type { Route } from '../aliases.ts';
import { machineOfVersion, takeAliasArn, takeMachineArn } from '../arns.ts';
import { type Operation, optional, seconds } from '../context.ts';
import { invalidRequest, referenceNotFound, stateMachineDoesNotExist } from '../errors.ts';
import type { Members } from '../members.ts';
import { takeItems, takePage } from '../paging.ts';
import { resolveMachine } from '../resolve.ts';
import type { StateMachines } from '../state-machines.ts';
import { DESCRIPTION_LENGTH } from './versions.ts';

/** A name of digits only would be a version number. */
const ALIAS_NAME = /^(?=.*[a-zA-Z_\-.])[a-zA-Z0-9_\-.]+$/;
const NAME_LENGTH = { min: 1, max: 80 };
const ROUTES = { min: 1, max: 2 };

export const createStateMachineAlias: Operation = ({ stateMachines }, members) => {
  const name = members.matching('name', ALIAS_NAME, NAME_LENGTH);
  const description = members.optionalString('description', DESCRIPTION_LENGTH);
  const routes = takeRoutes(members);
  const machineArn = machineOf(routes);
  checkVersions(stateMachines, routes);
  const alias = stateMachines.aliases.create({ machineArn, name, description, routes });
  return { stateMachineAliasArn: alias.arn, creationDate: seconds(alias.creationDate) };
};

export const updateStateMachineAlias: Operation = ({ stateMachines }, members) => {
  const { arn, machineArn } = stateMachines.aliases.get(takeAliasArn(members));
  const description = members.optionalString('description', DESCRIPTION_LENGTH);
  const routes = members.has('routingConfiguration') ? takeRoutes(members) : undefined;
  if (description === undefined && routes === undefined) {
    throw invalidRequest(
      'MISSING_REQUIRED_PARAMETER',
      'Either the description or the routing configuration must be specified',
    );
  }
  if (routes !== undefined) {
    if (machineOf(routes) !== machineArn) throw ofAnotherMachine(routes);
    checkVersions(stateMachines, routes);
  }
  const { updateDate } = stateMachines.aliases.update(arn, {
    ...optional('description', description),
    ...optional('routes', routes),
  });
  return { updateDate: seconds(updateDate) };
};

export const describeStateMachineAlias: Operation = ({ stateMachines }, members) => {
  const alias = stateMachines.aliases.get(takeAliasArn(members));
  return {
    stateMachineAliasArn: alias.arn,
    name: alias.name,
    ...optional('description', alias.description),
    routingConfiguration: alias.routes.map(({ versionArn, weight }) => ({
      stateMachineVersionArn: versionArn,
      weight,
    })),
    creationDate: seconds(alias.creationDate),
    updateDate: seconds(alias.updateDate),
  };
};

/** Succeeds also when the alias does not exist, as on AWS. */
export const deleteStateMachineAlias: Operation = ({ stateMachines }, members) => {
  stateMachines.aliases.delete(takeAliasArn(members));
  return {};
};

/** Lists the aliases of a state machine, or only those that route to one of its versions. */
export const listStateMachineAliases: Operation = (context, members) => {
  const arn = takeMachineArn(members);
  const page = takePage(members, `ListStateMachineAliases ${arn}`);
  const { aliases } = context.stateMachines;
  const { stateMachine, version, aliasArn } = resolveMachine(context, arn);
  if (aliasArn !== undefined) throw stateMachineDoesNotExist(arn);
  const all = version === undefined ? aliases.of(stateMachine.arn) : aliases.leadingTo(version.arn);
  const { items, ...more } = takeItems(page, all, ({ sequence }) => sequence);
  const listed = items.map(alias => ({
    stateMachineAliasArn: alias.arn,
    creationDate: seconds(alias.creationDate),
  }));
  return { stateMachineAliases: listed, ...more };
};

const invalidRouting = (message: string) => invalidRequest('INVALID_ROUTING_CONFIGURATION', message);

function takeRoutes(members: Members): Route[] {
  const routes = members.requiredObjects('routingConfiguration', ROUTES).map(route => ({
    versionArn: route.string('stateMachineVersionArn', { min: 1, max: 2000 }),
    weight: route.requiredInteger('weight', 0, 100),
  }));
  if (new Set(routes.map(({ versionArn }) => versionArn)).size < routes.length) {
    throw invalidRouting(
      `Routing configuration must contain distinct state machine version ARNs. Received: ${listed(routes)}`,
    );
  }
  const weights = routes.map(({ weight }) => weight);
  if (weights.reduce((sum, weight) => sum + weight, 0) !== 100) {
    throw invalidRouting(
      `Sum of routing configuration weights must equal 100. Received: [${weights.join(', ')}]`,
    );
  }
  return routes;
}

/** Returns the state machine of all routed versions. */
function machineOf(routes: readonly Route[]): string {
  const machines = new Set(routes.map(({ versionArn }) => machineOfVersion(versionArn)));
  const [machineArn] = machines;
  if (machines.has(undefined) || machineArn === undefined) {
    throw invalidRouting(
      `Routing configuration must contain state machine version ARNs. Received: ${listed(routes)}`,
    );
  }
  if (machines.size > 1) throw ofAnotherMachine(routes);
  return machineArn;
}

const ofAnotherMachine = (routes: readonly Route[]) =>
  invalidRouting(
    `Routing configuration must contain versions of one state machine. Received: ${listed(routes)}`,
  );

function checkVersions({ versions }: StateMachines, routes: readonly Route[]): void {
  const missing = routes.find(({ versionArn }) => versions.find(versionArn) === undefined);
  if (missing !== undefined) throw referenceNotFound(missing.versionArn);
}

const listed = (routes: readonly Route[]): string =>
  `[${routes.map(({ versionArn }) => versionArn).join(', ')}]`;
