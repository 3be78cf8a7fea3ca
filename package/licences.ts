import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Mozilla Public License wants it said where the source is. */
const HEAD =
  'The files of this folder hold code of these packages. npm pack NAME@VERSION gets the source of each, as it is bundled here.';

/**
 * The licences of the packages that a bundle holds. A text that several have stands there once.
 *
 * @param inputs the files that were bundled, as esbuild's metafile names them
 * @throws Error for a package that says nothing of its licence
 */
export function licencesOf(inputs: readonly string[]): string {
  const folders = [...new Set(inputs.flatMap(input => packageFolder(input) ?? []))].sort();
  const packagesByText = new Map<string, string[]>();
  const names = folders.map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    if (license === undefined) throw new Error(`${folder}: expected a licence in its package.json, got none`);
    for (const text of licenceTexts(folder)) {
      packagesByText.set(text, [...(packagesByText.get(text) ?? []), name]);
    }
    return `${name} ${version}: ${license}`;
  });
  const texts = [...packagesByText].map(([text, packages]) => `${packages.join(', ')}\n\n${text}`);
  return [HEAD, names.join('\n'), ...texts].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` → `node_modules/a/node_modules/@b/c` */
function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
}

function licenceTexts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').trim());
}
