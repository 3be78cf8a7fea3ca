import { editDistance } from '../expiry/unknown-fields.ts';

interface Partition {
  /** The name in its ARNs, after `arn:`. */
  readonly name: string;
  /** Prefix of the names of its regions, which no other partition has. */
  readonly prefix: string;
  readonly dnsSuffix: string;
  /** End of the host names of its console, after the region. */
  readonly console?: string;
  readonly regions: readonly string[];
}

/** The partition whose regions have no common prefix. */
const COMMERCIAL: Partition = {
  name: 'aws',
  prefix: '',
  dnsSuffix: 'amazonaws.com',
  console: 'console.aws.amazon.com',
  regions: [
    'af-south-1',
    'ap-east-1',
    'ap-east-2',
    'ap-northeast-1',
    'ap-northeast-2',
    'ap-northeast-3',
    'ap-south-1',
    'ap-south-2',
    'ap-southeast-1',
    'ap-southeast-2',
    'ap-southeast-3',
    'ap-southeast-4',
    'ap-southeast-5',
    'ap-southeast-6',
    'ap-southeast-7',
    'ca-central-1',
    'ca-west-1',
    'eu-central-1',
    'eu-central-2',
    'eu-north-1',
    'eu-south-1',
    'eu-south-2',
    'eu-west-1',
    'eu-west-2',
    'eu-west-3',
    'il-central-1',
    'me-central-1',
    'me-south-1',
    'me-west-1',
    'mx-central-1',
    'sa-east-1',
    'sa-west-1',
    'us-east-1',
    'us-east-2',
    'us-west-1',
    'us-west-2',
  ],
};

/**
 * AWS's regions by partition. The AWS SDK has the same list but does not export the names; a test compares both, so that a new version of
 * the SDK shows which regions are missing here.
 */
const PARTITIONS: readonly Partition[] = [
  {
    name: 'aws-cn',
    prefix: 'cn-',
    dnsSuffix: 'amazonaws.com.cn',
    console: 'console.amazonaws.cn',
    regions: ['cn-north-1', 'cn-northwest-1'],
  },
  {
    name: 'aws-us-gov',
    prefix: 'us-gov-',
    dnsSuffix: 'amazonaws.com',
    console: 'console.amazonaws-us-gov.com',
    regions: ['us-gov-east-1', 'us-gov-west-1'],
  },
  { name: 'aws-eusc', prefix: 'eusc-', dnsSuffix: 'amazonaws.eu', regions: ['eusc-de-east-1'] },
  {
    name: 'aws-iso',
    prefix: 'us-iso-',
    dnsSuffix: 'c2s.ic.gov',
    regions: ['us-iso-east-1', 'us-iso-west-1'],
  },
  {
    name: 'aws-iso-b',
    prefix: 'us-isob-',
    dnsSuffix: 'sc2s.sgov.gov',
    regions: ['us-isob-east-1', 'us-isob-west-1'],
  },
  { name: 'aws-iso-e', prefix: 'eu-isoe-', dnsSuffix: 'cloud.adc-e.uk', regions: ['eu-isoe-west-1'] },
  {
    name: 'aws-iso-f',
    prefix: 'us-isof-',
    dnsSuffix: 'csp.hci.ic.gov',
    regions: ['us-isof-east-1', 'us-isof-south-1'],
  },
  COMMERCIAL,
];

/** Every region that this version knows. */
export const REGIONS: readonly string[] = PARTITIONS.flatMap(({ regions }) => regions);

/** The form of a region's name, e.g. `eu-central-1`, for regions that this version does not know too. */
export const REGION = /^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/;

/** The partition of a region and the suffix of its host names, also for regions that are newer than the list. */
export function partitionOf(region: string): Pick<Partition, 'name' | 'dnsSuffix' | 'console'> {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? COMMERCIAL;
}

/** The known region whose name is most similar to this one. */
export function nearestRegion(region: string): string {
  return REGIONS.reduce((best, each) =>
    editDistance(each, region) < editDistance(best, region) ? each : best,
  );
}
