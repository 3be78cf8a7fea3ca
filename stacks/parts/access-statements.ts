import type { ResolvedProps } from '../../config/props.ts';
import type { Place } from './place.ts';
import { keyStatement, type Statement } from './role.ts';
import type { SweptTable } from './swept-table.ts';

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
  { tableKmsKeyArn }: { readonly tableKmsKeyArn?: string | undefined },
  place: Place,
): Statement[] {
  // Only through DynamoDB, whose domain has another suffix in other partitions: com, com.cn, eu.
  const viaService = { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` };
  const actions = access === 'read' ? TO_READ : [...TO_READ, ...TO_WRITE];
  return [keyStatement(tableKmsKeyArn, actions, { StringLike: viaService })];
}

/** Permissions for finding expired items. */
export function queryStatements(table: SweptTable, place: Place): Statement[] {
  const { props, indexArn } = table;
  return [
    { actions: ['dynamodb:Query'], resources: [indexArn] },
    ...tableKeyStatements('read', props, place),
  ];
}

/** Permissions for deleting expired items. */
export function deleteStatements({ props, tableArn }: SweptTable, place: Place): Statement[] {
  return [
    {
      actions: [props.deleteMode === 'guarded' ? 'dynamodb:PartiQLDelete' : 'dynamodb:BatchWriteItem'],
      resources: [tableArn],
    },
    ...tableKeyStatements('write', props, place),
  ];
}

/**
 * Permissions that a role needs in addition to `sqs:SendMessage` for a queue with a customer managed key: SQS makes a data key with the
 * permissions of the sender, and decrypts it to check its integrity. Source: SQS Developer Guide, "Key management", "Configure KMS
 * permissions for producers".
 */
export function queueKeyStatements(
  { kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>,
  queueArn: string,
): Statement[] {
  const ofQueue = { 'kms:EncryptionContext:aws:sqs:arn': queueArn };
  return [keyStatement(kmsKeyArn, ['kms:Decrypt', 'kms:GenerateDataKey'], { StringEquals: ofQueue })];
}
