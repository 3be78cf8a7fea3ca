import { HarnessError } from './errors.ts';

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${Name}` in a definition's text, as DefinitionSubstitutions of CloudFormation, SAM and CDK do.
 *
 * @param source where the definition comes from, for messages
 * @throws {HarnessError} when a placeholder has no value, or a value no placeholder
 */
export function substitute(
  text: string,
  substitutions: Readonly<Record<string, string>> = {},
  source: string,
): string {
  const missing = new Set<string>();
  const used = new Set<string>();
  const result = text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = Object.hasOwn(substitutions, name) ? substitutions[name] : undefined;
    if (value === undefined) {
      missing.add(name);
      return placeholder;
    }
    used.add(name);
    // Escaped for a JSON string.
    return JSON.stringify(value).slice(1, -1);
  });
  if (missing.size > 0) {
    const names = [...missing];
    throw new HarnessError(
      `${source} has ${names.map(name => `\${${name}}`).join(', ')}; give values: substitutions: { ` +
        `${names.map(name => `${name}: functionArn('…')`).join(', ')} }`,
    );
  }
  const unused = Object.keys(substitutions).filter(name => !used.has(name));
  if (unused.length === 0) return result;
  throw new HarnessError(
    `substitutions: expected names that stand in ${source} as \${Name}, got ${unused.join(', ')}`,
  );
}
