import { posix } from 'node:path';

/** Folders of docs/ that are only in the repository. */
export const UNPACKED = ['docs/contributing/', 'docs/examples/'];

const REPOSITORY = 'https://github.com/precise-ttl/precise-ttl';

/** The target of a relative link in Markdown, without `#heading`. */
const RELATIVE_LINK = /(?<=\]\()(?![a-z]+:|#)[^)\s#]+/g;

/**
 * Returns a document for the package: links to files outside the package lead to the repository.
 * @param file path of the document in the checkout, e.g. `docs/operate.md`
 */
export function withPackedLinks(file: string, text: string): string {
  return text.replaceAll(RELATIVE_LINK, link => {
    const target = posix.join(posix.dirname(file), link);
    const packed = target.startsWith('docs/') && !UNPACKED.some(folder => `${target}/`.startsWith(folder));
    return packed ? link : `${REPOSITORY}/blob/main/${target}`;
  });
}
