import { type Kinds, type ValueOf, valueProblems } from '../../expiry/fields.ts';
import { InvalidEnvironmentError } from './errors.ts';

/** The environment of a function. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from the environment: `journalTable` from JOURNAL_TABLE.
 *
 * @throws InvalidEnvironmentError for the first one that is missing or wrong
 */
export function readVariables<const Of extends Kinds>(
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
