interface Partition {
  /** The name in its ARNs, after `arn:`. */
  readonly name: string;
  /** Prefix of the names of its regions, which no other partition has. */
  readonly prefix: string;
  readonly dnsSuffix: string;
  /** End of the host names of its console, after the region. */
  readonly console?: string;
}

/** The partition whose regions have no common prefix. */
const COMMERCIAL: Partition = {
  name: 'aws',
  prefix: '',
  dnsSuffix: 'amazonaws.com',
  console: 'console.aws.amazon.com',
};

/** AWS's partitions, but for their regions: Terraform and the SDK know which there are. A test compares them with the SDK's. */
const PARTITIONS: readonly Partition[] = [
  {
    name: 'aws-cn',
    prefix: 'cn-',
    dnsSuffix: 'amazonaws.com.cn',
    console: 'console.amazonaws.cn',
  },
  {
    name: 'aws-us-gov',
    prefix: 'us-gov-',
    dnsSuffix: 'amazonaws.com',
    console: 'console.amazonaws-us-gov.com',
  },
  { name: 'aws-eusc', prefix: 'eusc-', dnsSuffix: 'amazonaws.eu' },
  {
    name: 'aws-iso',
    prefix: 'us-iso-',
    dnsSuffix: 'c2s.ic.gov',
  },
  {
    name: 'aws-iso-b',
    prefix: 'us-isob-',
    dnsSuffix: 'sc2s.sgov.gov',
  },
  { name: 'aws-iso-e', prefix: 'eu-isoe-', dnsSuffix: 'cloud.adc-e.uk' },
  {
    name: 'aws-iso-f',
    prefix: 'us-isof-',
    dnsSuffix: 'csp.hci.ic.gov',
  },
  COMMERCIAL,
];

/** The form of a region's name, e.g. `eu-central-1`. */
export const REGION = /^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/;

/** The partition of a region and the suffix of its host names. */
export function partitionOf(region: string): Pick<Partition, 'name' | 'dnsSuffix' | 'console'> {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? COMMERCIAL;
}
