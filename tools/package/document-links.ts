import { posix } from 'node:path';

/** Of the development of this project; the others are for whoever uses it. */
export const UNPACKED_DOCUMENTS = ['docs/decisions.md'];

const REPOSITORY = 'https://github.com/precise-ttl/precise-ttl';

/** The target of a link, without its heading. */
const RELATIVE_LINK = /(?<=\]\()(?![a-z]+:|#)[^)\s#]+/g;

/**
 * A document as the package has it: links to files that only the repository has lead there.
 *
 * @param file path of the document in the checkout, e.g. `docs/deploy.md`
 */
export function withPackedLinks(file: string, text: string): string {
  return text.replaceAll(RELATIVE_LINK, link => {
    const target = posix.join(posix.dirname(file), link);
    const packed = posix.dirname(target) === 'docs' && !UNPACKED_DOCUMENTS.includes(target);
    return packed ? link : `${REPOSITORY}/blob/main/${target}`;
  });
}
