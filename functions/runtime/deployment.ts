import { type Kinds, text, type ValueOf, valueProblems } from '../../expiry/fields.ts';
import { SETTING_KINDS } from './environment.ts';
import { InvalidEnvironmentError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE_KINDS = { deploymentName: text(), journalTable: SETTING_KINDS.tableName };

export function readDeployment(env: Environment) {
  return readVariables(VARIABLE_KINDS, env);
}

export function readDeploymentName(env: Environment): string {
  const { deploymentName } = VARIABLE_KINDS;
  return readVariables({ deploymentName }, env).deploymentName;
}

function readVariables<const Of extends Kinds>(
  kinds: Of,
  env: Environment,
): { readonly [Name in keyof Of]: ValueOf<Of[Name]> } {
  const values = Object.entries(kinds).map(([name, each]) => {
    const variable = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase();
    const given = env[variable];
    const value = given === undefined ? undefined : each.fromText(given);
    const [problem] = valueProblems(variable, each, value, '');
    if (problem) {
      throw new InvalidEnvironmentError({ ...problem, got: given, remedy: 'Deploy the function again.' });
    }
    return [name, value];
  });
  return Object.fromEntries(values) as { [Name in keyof Of]: ValueOf<Of[Name]> };
}
