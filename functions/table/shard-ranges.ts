/* A target may have a thousand shards. They are written as ranges such as `0-24,30`, because the payload of a state has limited room. */

export const RANGES = /^\d{1,3}(?:-\d{1,3})?(?:,\d{1,3}(?:-\d{1,3})?)*$/;

export function shardsOf(ranges: string): number[] {
  return ranges.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_unused, index) => first + index);
  });
}

export function rangesOf(shards: Iterable<number>): string {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of [...new Set(shards)].sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === shard - 1) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}
