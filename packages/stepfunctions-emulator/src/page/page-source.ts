interface PageSource {
  readonly script: string;
  readonly style: string;
}

/** A variable keeps compilers and bundlers from resolving the path: the file exists only in the repository. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** The page's script and style. In the published packages, tools/package/bundles.ts replaces this file by the built page. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
