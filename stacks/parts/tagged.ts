import type { ResolvedProps } from '../../config/props.ts';
import { isOpen } from '../../config/values.ts';

/** The tags of a table or a deployment as an argument, for every resource that can have tags. */
export function tagged({ tags }: Pick<ResolvedProps, 'tags'>): { tags?: Record<string, string> } {
  if (tags === undefined) return {};
  return { tags: isOpen(tags) ? tags : { ...tags } };
}
