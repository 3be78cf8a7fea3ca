/** Account, region and partition for the ARNs of resources that do not exist on AWS. */
export const PLACE = { account: '123456789012', region: 'us-east-1', partition: 'aws' } as const;

export const ROLE_ARN = `arn:aws:iam::${PLACE.account}:role/test`;

export const functionArn = (name: string): string =>
  `arn:aws:lambda:${PLACE.region}:${PLACE.account}:function:${name}`;

export const stateMachineArn = (name: string): string =>
  `arn:aws:states:${PLACE.region}:${PLACE.account}:stateMachine:${name}`;
