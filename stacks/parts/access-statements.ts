import type { ResolvedProps } from '../config/props.ts';
import type { Place } from './place.ts';
import { keyStatement, type Statement } from './role.ts';
import type { SweptTable } from './swept-table.ts';

/** Source: the permissions on a table's key that the AWS CDK grants, in aws-dynamodb's perms.ts. */
const TO_READ = ['kms:Decrypt', 'kms:DescribeKey'];
const TO_WRITE = ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

/**
 * DynamoDB uses the table's key with the permissions of DynamoDB's caller. A key that DynamoDB owns needs no permissions.
 * @param access `write` includes reading, since each delete reads the item first
 */
export function tableKeyStatements(
  access: 'read' | 'write',
  { tableKmsKeyArn }: { readonly tableKmsKeyArn?: string | undefined },
  place: Place,
): Statement[] {
  // Other partitions have another suffix of DynamoDB's domain: com, com.cn, eu.
  const viaService = { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` };
  const actions = access === 'read' ? TO_READ : [...TO_READ, ...TO_WRITE];
  return [keyStatement(tableKmsKeyArn, actions, { StringLike: viaService })];
}

export function queryStatements(table: SweptTable, place: Place): Statement[] {
  const { props, indexArn } = table;
  return [
    { actions: ['dynamodb:Query'], resources: [indexArn] },
    ...tableKeyStatements('read', props, place),
  ];
}

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
 * The sender makes a data key, and SQS and SNS decrypt this data key to check its integrity. Sources: developer guides of SQS ("Configure
 * KMS permissions for producers"), SNS and Kinesis on KMS.
 * @param by key of the encryption context whose value is the target's ARN
 */
export function senderKeyStatement(
  { kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>,
  arn: string,
  by: 'aws:sqs:arn' | 'aws:sns:topicArn' | 'aws:kinesis:arn' = 'aws:sqs:arn',
): Statement {
  const actions = ['kms:GenerateDataKey'];
  if (by !== 'aws:kinesis:arn') actions.unshift('kms:Decrypt');
  return keyStatement(kmsKeyArn, actions, { StringEquals: { [`kms:EncryptionContext:${by}`]: arn } });
}
