import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, isObject } from './json.ts';

/** Terraform's own resource, which makes nothing anywhere. */
const MAKES_NOTHING = 'terraform_data';

/**
 * The addresses of a stack's modules. Only such modules are taken as make nothing in AWS: what others make would be missing
 * here without a word.
 *
 * @param document the parsed `cdk.tf.json`
 * @param directory where it lies
 * @param problems gets a sentence for every other module
 */
export function modulesWithoutEffect(
  stack: string,
  document: unknown,
  directory: string,
  problems: string[],
): string[] {
  const modules = isObject(document) && isObject(document['module']) ? document['module'] : {};
  return Object.entries(modules).map(([name, call]) => {
    const source = isObject(call) ? call['source'] : undefined;
    const got = effectOf(source, directory);
    if (got !== undefined) {
      problems.push(
        `${stack}: module.${name}: expected a module of this stack with nothing but ${MAKES_NOTHING} in its main.tf.json, ` +
          `got ${got}; write its resources into the CDKTF app`,
      );
    }
    return `module.${name}`;
  });
}

/** What a module makes that would be missing here; undefined when it makes nothing. */
function effectOf(source: unknown, directory: string): string | undefined {
  if (typeof source !== 'string' || !source.startsWith('./')) return `the source ${describe(source)}`;
  const file = join(directory, source, 'main.tf.json');
  if (!existsSync(file)) return `no main.tf.json in ${source}`;
  const { resource, variable: _variable, '//': _comment, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  const types = [...Object.keys(rest), ...Object.keys(resource ?? {})].filter(type => type !== MAKES_NOTHING);
  return types.length === 0 ? undefined : types.join(', ');
}
