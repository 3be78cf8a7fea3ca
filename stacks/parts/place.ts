import { DataAwsCallerIdentity } from '@cdktf/provider-aws/lib/data-aws-caller-identity/index.js';
import { DataAwsPartition } from '@cdktf/provider-aws/lib/data-aws-partition/index.js';
import { DataAwsRegion } from '@cdktf/provider-aws/lib/data-aws-region/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../config/deployments.ts';
import { isReference } from '../config/terraform-text.ts';

export interface Part {
  readonly place: Place;
  readonly deployment: Deployment;
}

const PARTITION_LENGTH = 'aws-us-gov'.length;
const REGION_LENGTH = 'ap-southeast-1'.length;
const ACCOUNT_LENGTH = 12;

const ARN_LENGTH = 'arn::::::'.length + PARTITION_LENGTH + REGION_LENGTH + ACCOUNT_LENGTH + 'dynamodb'.length;

export class Place extends Construct {
  readonly account: string;
  readonly partition: string;
  readonly region: string;
  readonly #lengths = new Map<string, number>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.account = new DataAwsCallerIdentity(this, 'identity', {}).accountId;
    this.partition = new DataAwsPartition(this, 'partition', {}).partition;
    this.region = new DataAwsRegion(this, 'region', {}).region;
    this.#lengths.set(this.account, ACCOUNT_LENGTH);
    this.#lengths.set(this.partition, PARTITION_LENGTH);
    this.#lengths.set(this.region, REGION_LENGTH);
  }

  arn(service: string, resource: string): string {
    return `arn:${this.partition}:${service}:${this.region}:${this.account}:${resource}`;
  }

  /** Notes an ARN's maximum length for `lengthOf`: policies have a length limit. @param rest the ARN's resource without `name` */
  know(arn: string, name: string, rest: string): void {
    if (!isReference(name as unknown)) this.#lengths.set(arn, ARN_LENGTH + `${name}${rest}`.length);
  }

  lengthOf(text: string): number {
    const known = [...this.#lengths].reduce(
      (result, [reference, length]) => result.replaceAll(reference, 'x'.repeat(length)),
      text,
    );
    return known.replaceAll(/\$\{[^}]*\}/g, 'x'.repeat(ARN_LENGTH + MAX_TABLE_LENGTH)).length;
  }
}

const MAX_TABLE_LENGTH = 'table/'.length + 255;
