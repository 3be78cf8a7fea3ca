/** Faults, injected between the functions and DynamoDB, around the functions, and into the schedules. */

export type { DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
export { faultyDeliveries } from './deliveries.ts';
export {
  ENDPOINT_FAULTS,
  type EndpointFaultName,
  type EndpointFaultRates,
  type EndpointFaultsOptions,
  SeededEndpointFaults,
} from './endpoint-faults.ts';
export {
  type ChooseFault,
  type DynamoDbEffect,
  type DynamoDbFault,
  FAULTS,
  FaultCounter,
  type FaultCounts,
  type FaultName,
  type FaultRates,
} from './fault.ts';
export { crash, faultyInvocations } from './invocations.ts';
export { FaultProxy, startFaultProxy } from './proxy.ts';
export {
  BUSY_STATEMENT_ERRORS,
  checkRates,
  LASTING_STATEMENT_ERRORS,
  SeededFaults,
} from './seeded-faults.ts';
export type { IndexEntry } from './stale-index.ts';
export {
  ITEM_UNITS,
  throttledByCapacity,
  WriteCapacity,
  type WriteCapacityOptions,
} from './write-capacity.ts';
