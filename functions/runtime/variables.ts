import { type Kinds, type ValueOf, valueProblems } from '../../expiry/fields.ts';
import { InvalidEnvironmentError } from './errors.ts';

/** The environment of a function. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Values<Of extends Kinds> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> };

/**
 * Reads settings from the environment.
 *
 * @param optional names that may be missing or empty; they are left out then
 * @throws InvalidEnvironmentError for the first one that is missing or wrong
 */
export function readVariables<const Of extends Kinds>(
  kinds: Of,
  env: Environment,
  optional: readonly (keyof Of)[] = [],
): Values<Of> {
  const values = Object.entries(kinds).flatMap(([name, each]) => {
    const variable = variableOf(name);
    const given = env[variable];
    if (!given && optional.includes(name)) return [];
    const value = given === undefined ? undefined : each.fromText(given);
    const [problem] = valueProblems(variable, each, value, '');
    if (problem) {
      throw new InvalidEnvironmentError({ ...problem, got: given, remedy: 'Deploy the function again.' });
    }
    return [[name, value]];
  });
  return Object.fromEntries(values);
}

/**
 * Makes the environment that {@link readVariables} reads. Undefined and empty values are left out.
 *
 * @param write converts each value, for example with Terraform's escapes
 */
export function toVariables<Of extends Kinds>(
  kinds: Of,
  values: { readonly [Name in keyof Of]?: unknown },
  write: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys(kinds).flatMap(name => {
      const value = values[name];
      return value === undefined || value === '' ? [] : [[variableOf(name), write(String(value))]];
    }),
  );
}

/** Converts a setting's name: `backoffCapSeconds` becomes BACKOFF_CAP_SECONDS. */
export function variableOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase();
}
