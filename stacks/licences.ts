import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that lies beside a bundle, in the functions' archives and in the npm package. */
export const LICENCES_FILE = 'LICENSES.txt';

/** The Mozilla Public License wants it said where the source is, in the form in which it is changed. */
const HEAD =
  'The code beside this file holds code of these packages, as npm pack NAME@VERSION gets it. Behind each licence stands where its source is.';

/** Up to the folder of the innermost package that a file is of. */
const PACKAGE_FOLDER = /^.*(?:^|[/\\])node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/** Licences, and the notices that the Apache License wants handed on. */
const LEGAL_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * The licences of the packages that a bundle holds: each text once, under the packages that it is the licence of, which are
 * told as `name version: licence, repository`.
 *
 * @param files the files that were bundled, as a bundler names them
 * @throws Error for a package that says nothing of its licence
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
