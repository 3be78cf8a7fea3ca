import type { ResolvedProps } from '../props.ts';

/** The tags of a table's own, for every resource that can have some. */
export function tagged({ tags }: Pick<ResolvedProps, 'tags'>): { tags?: Record<string, string> } {
  return tags === undefined ? {} : { tags: { ...tags } };
}
