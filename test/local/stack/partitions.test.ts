import { readFileSync } from 'node:fs';
import { partitionOf } from '../../../local/stack/resolve.ts';
import { REGION } from '../../../stacks/config/config.ts';

interface SdkPartitions {
  readonly partitions: readonly {
    readonly id: string;
    readonly regions: Readonly<Record<string, unknown>>;
  }[];
}

/** The SDK's list. It exports a function over it, not the list. */
function sdkPartitions(): SdkPartitions['partitions'] {
  const file = 'node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js';
  const json = /^export const partitionsInfo = (.*);\s*$/s.exec(readFileSync(file, 'utf8'))?.[1];
  return (JSON.parse(String(json)) as SdkPartitions).partitions;
}

const partitions = sdkPartitions().map(({ id, regions }) => ({
  id,
  regions: Object.keys(regions).filter(region => !region.endsWith('-global')),
}));

test.each(partitions)('the partition of $regions is $id', ({ id, regions }) => {
  for (const region of regions) {
    expect(region).toMatch(REGION);
    expect(partitionOf(region)).toBe(id);
  }
});
