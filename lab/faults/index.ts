/** Faults, injected between the functions and DynamoDB, around the functions, and into the schedules. */

export type { DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
export { crash, faultyDeliveries, faultyInvocations } from './around.ts';
export {
  BUSY_STATEMENT_ERRORS,
  type ChooseFault,
  checkRates,
  type DynamoDbEffect,
  type DynamoDbFault,
  FAULTS,
  FaultCounter,
  type FaultCounts,
  type FaultName,
  type FaultRates,
  LASTING_STATEMENT_ERRORS,
  SeededFaults,
} from './fault.ts';
export { FaultProxy, startFaultProxy } from './proxy.ts';
export { type S3FaultRates, SeededS3Faults } from './s3-faults.ts';
export { ITEM_UNITS, throttledByCapacity, WriteCapacity } from './write-capacity.ts';
