import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file beside each bundle, in the functions' archives and in the npm package. */
export const LICENCES_FILE = 'LICENSES.txt';

/** Head of the file: the Mozilla Public License requires to name the place of the source, in the form in which it is edited. */
const HEAD =
  'The code beside this file holds code of these packages, as npm pack NAME@VERSION gets it. Behind each licence stands where its source is.';

/** Matches a path up to the folder of its innermost package. */
const PACKAGE_FOLDER = /^.*(?:^|[/\\])node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/** Licences, and the notices that must be distributed under the Apache License. */
const LEGAL_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * The licences of the packages in a bundle: each text once, below the list of its packages, each as `name version: licence, repository`.
 *
 * @param files the bundled files, as named by the bundler
 * @throws Error for a package that does not name its licence
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
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
    readonly repository?: string | { readonly url: string };
  };
  const source = typeof repository === 'string' ? repository : repository?.url;
  if (license === undefined) throw new Error(`${folder}: expected a licence in its package.json, got none`);
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
