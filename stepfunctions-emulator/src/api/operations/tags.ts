import type { Operation } from '../context.ts';
import { resourceNotFound } from '../errors.ts';
import type { Members } from '../members.ts';

/** Reads a list of tags; absent means empty. */
export function readTags(members: Members, name: string): Map<string, string> {
  const tags = members.objects(name) ?? [];
  return new Map(
    tags.map(tag => [
      tag.string('key', { min: 1, max: 128 }),
      tag.optionalString('value', { max: 256 }) ?? '',
    ]),
  );
}

const takeArn = (members: Members): string => members.string('resourceArn', { min: 1, max: 256 });

export const listTagsForResource: Operation = ({ stateMachines }, members) => {
  const arn = takeArn(members);
  const tags = stateMachines.tags(arn);
  if (tags === undefined) throw resourceNotFound(arn);
  return { tags: [...tags].map(([key, value]) => ({ key, value })) };
};

export const tagResource: Operation = ({ stateMachines }, members) => {
  const arn = takeArn(members);
  const tags = readTags(members, 'tags');
  if (stateMachines.tags(arn) === undefined) throw resourceNotFound(arn);
  stateMachines.tag(arn, tags);
  return {};
};

export const untagResource: Operation = ({ stateMachines }, members) => {
  const arn = takeArn(members);
  const keys = members.strings('tagKeys');
  if (stateMachines.tags(arn) === undefined) throw resourceNotFound(arn);
  stateMachines.untag(arn, keys);
  return {};
};
