/** The parts of the page. */
export interface PageSource {
  /** One script without imports. */
  readonly script: string;
  readonly style: string;
}

/** A name, so that no compiler or bundler looks for the file: it is only in the checkout. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** The page's script and style. In the packages tools/package/prebuilt-page.ts puts what was built in the place of this file. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
