interface PageSource {
  readonly script: string;
  readonly style: string;
}

/** A variable, so that no compiler or bundler resolves the file, which exists only in the checkout. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** The page's script and style. In the packages tools/package/prebuilt.ts replaces this file by the built page. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
