/**
 * A request may name its table by an ARN (`arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions`). Source: DynamoDB API reference,
 * TableName of Query.
 */
export function tableNameOf(nameOrArn: string): string {
  return nameOrArn.split(':table/').at(-1) ?? nameOrArn;
}
