import { unzipSync } from 'fflate';

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

/**
 * Reasons why a package must not be published: paths of the build machine, and credentials. Archives are searched, too.
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
    return [...paths.map(folder => `${path}: expected no path of this machine, got ${folder}`), ...refused];
  });
}

function unpacked(file: PackedFile): PackedFile[] {
  if (!file.path.endsWith('.zip')) return [file];
  return Object.entries(unzipSync(file.content)).map(([name, content]) => ({
    path: `${file.path}/${name}`,
    content,
  }));
}
