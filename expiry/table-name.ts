/**
 * The name of the table in a request, which may contain its ARN (`arn:aws:dynamodb:eu-central-1:123456789012:table/Sessions`). Source:
 * DynamoDB API reference, TableName of Query.
 */
export function tableNameOf(nameOrArn: string): string {
  return nameOrArn.split(':table/').at(-1) ?? nameOrArn;
}
