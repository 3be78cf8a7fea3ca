/** Partitions of AWS, named as in ARNs, by region prefix. Other regions are commercial. A test compares this table with the SDK's. */
const PARTITIONS: Readonly<Record<string, string>> = {
  'cn-': 'aws-cn',
  'us-gov-': 'aws-us-gov',
  'eusc-': 'aws-eusc',
  'us-iso-': 'aws-iso',
  'us-isob-': 'aws-iso-b',
  'eu-isoe-': 'aws-iso-e',
  'us-isof-': 'aws-iso-f',
};

export function partitionOf(region: string): string {
  const [, partition] = Object.entries(PARTITIONS).find(([prefix]) => region.startsWith(prefix)) ?? [];
  return partition ?? 'aws';
}
