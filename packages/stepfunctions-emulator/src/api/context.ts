import type { IncomingHttpHeaders } from 'node:http';
import type { Executions } from './executions.ts';
import type { Members } from './members.ts';
import type { StateMachines } from './state-machines.ts';

/** The stores that the operations work on. */
export interface ApiContext {
  readonly stateMachines: StateMachines;
  readonly executions: Executions;
  readonly account: string;
  /** The region in every ARN, whatever region a client signs for. */
  readonly region: string;
  /** The partition in every ARN: `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
}

/** A received request. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as the client wrote them. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An operation of the API: receives the fields of its request and returns the fields of its answer. */
export type Operation = (context: ApiContext, members: Members) => object | Promise<object>;

/** Times are epoch seconds with a fraction in AWS JSON 1.0. */
export const seconds = (epochMilliseconds: number): number => epochMilliseconds / 1000;

/** Adds a field only when it has a value, as AWS does. */
export const optional = <K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { [key in K]?: V };

/** Refuses a description without its data. */
export const refuseMetadataOnly = (members: Members): void => {
  members.oneOf('includedData', ['ALL_DATA']);
};
