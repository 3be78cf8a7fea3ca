import { unzipSync } from 'fflate';
import { LICENCES_FILE } from './licences.ts';

/** A file of a packed package: its path in it, and its bytes. */
export interface PackedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Contents that must not be published, with the patterns that find them. */
const REFUSED: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  // AWS's own documents have example keys that end in EXAMPLE.
  { what: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}\b/ },
  { what: 'a private key', pattern: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/ },
  { what: 'a token of npm', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { what: 'a token of GitHub', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{82})\b/ },
  {
    what: 'a home folder',
    pattern: /(?:\/home|\/Users|[A-Z]:\\\\?Users)[/\\]+(?!you\b|me\b|user\b)[A-Za-z][\w.-]*[/\\]/,
  },
];

const TEST_PATH = /(?:^|\/)(?:tests?|__tests__|fixtures)\/|\.(?:test|spec|outside-test)\.[cm]?[jt]sx?$/;
const TEST_CODE = /\b(?:from|require\()\s*['"](?:@jest\/globals|vitest|node:test)['"]/;

/**
 * Reasons why a package must not be published: paths of the build machine, tests, and credentials. Archives are searched, too.
 * @param machinePaths folders of this machine whose names must not be in it, e.g. that of the checkout
 */
export function contentProblems(files: readonly PackedFile[], machinePaths: readonly string[]): string[] {
  return files.flatMap(unpacked).flatMap(({ path, content }) => {
    const text = Buffer.from(content).toString('latin1');
    const paths = machinePaths.filter(folder => text.includes(folder));
    const refused = REFUSED.flatMap(({ what, pattern }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined
        ? []
        : [`${path}: expected no trace of ${what}, got ${JSON.stringify(found)}`];
    });
    return [
      ...paths.map(folder => `${path}: expected no path of this machine, got ${folder}`),
      ...refused,
      ...(TEST_PATH.test(path) ? [`${path}: expected no tests in the package`] : []),
      ...(/\.[cm]?[jt]s$/.test(path) && TEST_CODE.test(text)
        ? [`${path}: expected no test code, got an import of a test runner`]
        : []),
    ];
  });
}

function unpacked(file: PackedFile): PackedFile[] {
  if (!file.path.endsWith('.zip')) return [file];
  return Object.entries(unzipSync(file.content)).map(([name, content]) => ({
    path: `${file.path}/${name}`,
    content,
  }));
}

/** Third-party code in a package. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** `name version: licence, repository`, the heading of each licence text by licences.ts. */
const LICENCE_LINE = /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+[\w.+-]*): ([^,\n]+)/gm;

/** The packages whose licences a package contains, for its bundled code. */
export function bundledPackages(files: readonly PackedFile[]): BundledPackage[] {
  const texts = files.flatMap(unpacked).filter(isLicences);
  const all = texts.flatMap(({ content }) => headings(Buffer.from(content).toString('utf8')));
  return [...new Map(all.map(each => [`${each.name}@${each.version}`, each]))]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, each]) => each);
}

function isLicences({ path }: PackedFile): boolean {
  return path.split('/').at(-1) === LICENCES_FILE;
}

/**
 * Licences whose code may be part of a work under Apache-2.0. Source: the Apache Software Foundation's categories A and B; B,
 * here MPL-2.0, only unchanged, and with the word where its source is: the package of that name and version.
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

/** The packages in the heading of each section of a text. Licence texts contain similar lines, such as `Version 1.0.0: …`. */
function headings(text: string): BundledPackage[] {
  return text.split(/^-{80}$/m).flatMap(section => {
    const [heading = ''] = section.trim().split(/\n\s*\n/);
    return [...heading.matchAll(LICENCE_LINE)].map(([, name = '', version = '', licence = '']) => ({
      name,
      version,
      licence,
    }));
  });
}

/** Licences that are not compatible with Apache-2.0, or have not been reviewed. */
export function licenceProblems(packages: readonly BundledPackage[]): string[] {
  return packages
    .filter(({ licence }) => !alternatives(licence).some(each => COMPATIBLE.includes(each)))
    .map(
      ({ name, version, licence }) =>
        `${name} ${version}: expected a licence that goes with Apache-2.0 (${COMPATIBLE.join(', ')}), got ${licence}`,
    );
}

/** `(MIT OR GPL-3.0)` allows either; `MIT AND GPL-3.0` is a licence of its own here. */
function alternatives(licence: string): string[] {
  return licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .map(each => each.trim());
}

/** Bundles without the licences of their code. */
export function missingLicences(files: readonly PackedFile[]): string[] {
  const entries = files.flatMap(unpacked).map(({ path }) => path);
  const folders = new Set(
    entries
      .filter(path => /(?:^|\/)dist\/(?:node|page)\/[^/]+\.js$/.test(path) || /\.zip\/index\.mjs$/.test(path))
      .map(path => path.replace(/(\/[^/]+\.zip)?\/[^/]+$/, '')),
  );
  return [...folders]
    .filter(folder => !entries.includes(`${folder}/${LICENCES_FILE}`))
    .map(folder => `${folder}: expected the licences beside what is bundled, got none`);
}
