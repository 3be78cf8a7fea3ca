interface PageSource {
  readonly script: string;
  readonly style: string;
}

/** The file is outside of `src` and not published. A path in a variable keeps compilers and bundlers from resolving it, which would fail. */
const BUNDLER: string = '../../page/bundle.ts';

let source: Promise<PageSource> | undefined;

/** The page's JavaScript and CSS. For published packages, tools/package/bundles.ts replaces this module by a reader of the built files. */
export function pageSource(): Promise<PageSource> {
  source ??= bundle();
  return source;
}

async function bundle(): Promise<PageSource> {
  const { bundlePage } = (await import(BUNDLER)) as { bundlePage: () => Promise<PageSource> };
  return bundlePage();
}
