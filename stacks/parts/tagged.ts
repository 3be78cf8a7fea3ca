import type { ResolvedProps } from '../../config/props.ts';

/** The tags of a table or a deployment as an argument, for every resource that can have tags. */
export function tagged({ tags }: Pick<ResolvedProps, 'tags'>): { tags?: Record<string, string> } {
  return tags === undefined ? {} : { tags: { ...tags } };
}
