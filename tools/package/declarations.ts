import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies the declarations of a module and of those that it imports.
 * @param names replacements for the names of imported packages
 */
export function copyDeclarations(
  module: string,
  from: string,
  to: string,
  names: Readonly<Record<string, string>> = {},
  copied = new Set<string>(),
): void {
  if (copied.has(module)) return;
  copied.add(module);
  const file = `${module}.d.ts`;
  const text = readFileSync(join(from, file), 'utf8');
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(
    join(to, file),
    text.replaceAll(/(?<=(?:from |import\()['"])[^'"]+/g, name => renamed(name, names)),
  );
  for (const [, imported = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g)) {
    copyDeclarations(join(dirname(module), imported), from, to, names, copied);
  }
}

/** Renames a module, or a path into it. */
function renamed(name: string, names: Readonly<Record<string, string>>): string {
  const old = Object.keys(names).find(each => name === each || name.startsWith(`${each}/`));
  return old === undefined ? name : `${names[old]}${name.slice(old.length)}`;
}
