import { posix } from 'node:path';
import { unzipSync } from 'fflate';

/** A file of a packed package: its path in the package, and its bytes. */
export interface PackedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Contents that must not be published. AWS's example keys, which end in EXAMPLE, are allowed. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'an AWS access key': /\b(?:AKIA|ASIA)(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}\b/,
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{82})\b/,
  // esbuild writes the path of each module into a comment. A module outside the checkout was reached by a symbolic link.
  'a path out of the checkout': /^\/\/ \.\.\/.*/m,
  'a home folder': /(?:\/home|\/Users|[A-Z]:\\\\?Users)[/\\]+(?!you\b|me\b|user\b)[A-Za-z][\w.-]*[/\\]/,
};

/**
 * Reasons why a package must not be published: local paths, and credentials. ZIP archives are searched, too.
 * @param machinePaths folders of this machine, such as that of the checkout
 */
export function contentProblems(files: readonly PackedFile[], machinePaths: readonly string[]): string[] {
  return files.flatMap(unpacked).flatMap(({ path, content }) => {
    const text = Buffer.from(content).toString('latin1');
    const paths = machinePaths.filter(folder => text.includes(folder));
    return [
      ...paths.map(folder => `${path}: expected no path of this machine, got ${folder}`),
      ...Object.entries(REFUSED).flatMap(([what, pattern]) => {
        const [found] = pattern.exec(text) ?? [];
        return found === undefined
          ? []
          : `${path}: expected no trace of ${what}, got ${JSON.stringify(found)}`;
      }),
    ];
  });
}

function unpacked(file: PackedFile): PackedFile[] {
  if (!file.path.endsWith('.zip')) return [file];
  const inside = Object.entries(unzipSync(file.content));
  return inside.map(([name, content]) => ({ path: `${file.path}/${name}`, content }));
}

/** Folders of docs/ that are only in the repository. */
export const UNPACKED = ['docs/contributing/', 'docs/examples/'];

const REPOSITORY = 'https://github.com/precise-ttl/precise-ttl';

/** The target of a relative link in Markdown, without `#heading`. */
const RELATIVE_LINK = /(?<=\]\()(?![a-z]+:|#)[^)\s#]+/g;

/**
 * Returns a document's text for the package. A relative link to a file that the package's docs/ lacks leads to the repository instead.
 * @param file path of the document in the checkout, e.g. `docs/operate.md`
 */
export function withPackedLinks(file: string, text: string): string {
  return text.replaceAll(RELATIVE_LINK, link => {
    const target = posix.join(posix.dirname(file), link);
    const packed = target.startsWith('docs/') && !UNPACKED.some(folder => `${target}/`.startsWith(folder));
    return packed ? link : `${REPOSITORY}/blob/main/${target}`;
  });
}
