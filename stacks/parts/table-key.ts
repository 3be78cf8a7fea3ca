import type { ResolvedProps } from '../../config/props.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';

/** Actions for reading. Source: the permissions that the AWS CDK grants with a table's, in aws-dynamodb's perms.ts. */
const TO_READ = ['kms:Decrypt', 'kms:DescribeKey'];
const TO_WRITE = ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

/**
 * Permissions that a role needs in addition to the actions on the table: DynamoDB uses the table's key with the permissions of its caller.
 * A key that DynamoDB owns needs none.
 *
 * @param access `write` includes reading, since each delete reads the item first
 */
export function tableKeyStatements(
  access: 'read' | 'write',
  { tableKmsKeyArn }: Pick<ResolvedProps, 'tableKmsKeyArn'>,
  place: Place,
): Statement[] {
  // Only through DynamoDB, whose domain has another suffix in other partitions: com, com.cn, eu.
  const viaService = { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` };
  return [
    {
      actions: access === 'read' ? TO_READ : [...TO_READ, ...TO_WRITE],
      resources: tableKmsKeyArn === undefined ? [] : [tableKmsKeyArn],
      condition: { StringLike: viaService },
    },
  ];
}
