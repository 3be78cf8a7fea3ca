import type { ResolvedProps } from '../../config/props.ts';
import type { Statement } from './role-policies.ts';

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
  return [
    {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
      condition: { StringEquals: ofQueue },
    },
  ];
}
