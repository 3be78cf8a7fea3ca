import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file with the licences of bundled packages. */
export const LICENCES_FILE = 'LICENSES.txt';

/** First lines of {@link LICENCES_FILE}. The Mozilla Public License requires that they say where the source code is. */
const HEAD =
  'The code beside this file holds code of these packages, as npm pack NAME@VERSION gets it. Behind each licence stands where its source is.';

const PACKAGE_FOLDER = /^.*(?:^|[/\\])node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/**
 * Licences whose code may be part of a work under Apache-2.0: from the Apache Software Foundation's category A, and MPL-2.0 from category
 * B. Code under MPL-2.0 must be unchanged, and {@link HEAD} must say where its source code is.
 */
const COMPATIBLE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Public Domain',
  'Unlicense',
];

/** True if one of the licences that `OR` separates is in COMPATIBLE. A licence with `AND` in it does not count, not even `MIT AND ISC`. */
function isCompatible(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some(each => COMPATIBLE.includes(each.trim()));
}

/** Files with licences or notices: the Apache License requires copies of both. */
const LEGAL_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Returns the content of {@link LICENCES_FILE}: each text of a licence once, below its packages, as `name version: licence, repository`.
 *
 * @param files paths of the bundled files, from the bundler
 * @throws Error for a package without a licence, or with a licence that is incompatible with Apache-2.0
 */
export function licencesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap(file => PACKAGE_FOLDER.exec(file) ?? []));
  const packagesByText = new Map<string, Set<string>>();
  for (const folder of folders) {
    const { heading, text } = licenceOf(folder);
    packagesByText.set(text, (packagesByText.get(text) ?? new Set()).add(heading));
  }
  const sections = [...packagesByText].map(
    ([text, headings]) => `${[...headings].sort().join('\n')}\n\n${text}`,
  );
  return `${[HEAD, ...sections.sort()].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function licenceOf(folder: string): { heading: string; text: string } {
  const {
    name,
    version,
    license = 'none',
    repository,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
    readonly repository?: string | { readonly url: string };
  };
  const source = typeof repository === 'string' ? repository : repository?.url;
  if (!isCompatible(license)) {
    const expected = `expected a licence that goes with Apache-2.0 (${COMPATIBLE.join(', ')})`;
    throw new Error(`${folder}/package.json: ${expected}, got ${license}. Use another package.`);
  }
  const texts = readdirSync(folder)
    .filter(file => LEGAL_FILE.test(file))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return {
    heading: `${name} ${version}: ${license}${source === undefined ? '' : `, ${source}`}`,
    text:
      texts.length > 0 ? texts.join('\n\n') : `${license}, by its package.json, which comes without a text.`,
  };
}
