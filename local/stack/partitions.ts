/** A partition of AWS: the name in its ARNs after `arn:`, and the suffix of its host names. */
interface Partition {
  readonly name: string;
  readonly dnsSuffix: string;
}

/** By the prefix of the names of its regions; a test compares them with the SDK's. All other regions are commercial ones. */
const PARTITIONS: Readonly<Record<string, Partition>> = {
  'cn-': { name: 'aws-cn', dnsSuffix: 'amazonaws.com.cn' },
  'us-gov-': { name: 'aws-us-gov', dnsSuffix: 'amazonaws.com' },
  'eusc-': { name: 'aws-eusc', dnsSuffix: 'amazonaws.eu' },
  'us-iso-': { name: 'aws-iso', dnsSuffix: 'c2s.ic.gov' },
  'us-isob-': { name: 'aws-iso-b', dnsSuffix: 'sc2s.sgov.gov' },
  'eu-isoe-': { name: 'aws-iso-e', dnsSuffix: 'cloud.adc-e.uk' },
  'us-isof-': { name: 'aws-iso-f', dnsSuffix: 'csp.hci.ic.gov' },
};

export function partitionOf(region: string): Partition {
  const [, partition] = Object.entries(PARTITIONS).find(([prefix]) => region.startsWith(prefix)) ?? [];
  return partition ?? { name: 'aws', dnsSuffix: 'amazonaws.com' };
}
