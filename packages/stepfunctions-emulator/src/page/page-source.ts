interface PageSource {
  readonly script: string;
  readonly style: string;
}

/** The file exists only in the repository. A variable hides the path from compilers and bundlers, which would look for the file. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** The page's script and style. In published packages, tools/package/bundles.ts replaces this module by a reader of built files. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
