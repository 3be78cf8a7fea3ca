import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Up to the folder of the innermost package that a file is of. */
const PACKAGE_FOLDER = /^.*(?:^|[/\\])node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/** Licences, and the notices that the Apache License wants handed on. */
const LEGAL_FILE = /^(licen[cs]e|copying|notice)(\.\w+)?$/i;

/**
 * The licences of the packages that these files are of: each text once, under the packages that it is the licence of.
 * @param files paths as a bundler names them
 */
export function licencesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap(file => PACKAGE_FOLDER.exec(file) ?? []));
  const packagesByText = new Map<string, Set<string>>();
  for (const folder of folders) {
    const { name, text } = legalTextOf(folder);
    packagesByText.set(text, (packagesByText.get(text) ?? new Set()).add(name));
  }
  return [...packagesByText]
    .map(([text, names]) => `${[...names].sort().join('\n')}\n\n${text.trim()}\n`)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function legalTextOf(folder: string): { name: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter(file => LEGAL_FILE.test(file))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n'));
  return {
    name: `${name} ${version}`,
    text:
      texts.length > 0 ? texts.join('\n') : `${license}, by its package.json, which comes without a text.`,
  };
}
