interface PageSource {
  readonly script: string;
  readonly style: string;
}

/** Path of the module that bundles the page, in a variable so that no compiler or bundler resolves it: the module is not published. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** Returns the web page's JavaScript and CSS. Published packages have another module instead, which tools/package/bundles.ts writes. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
