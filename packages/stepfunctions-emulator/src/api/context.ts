import type { IncomingHttpHeaders } from 'node:http';
import type { Executions } from './executions.ts';
import type { Members } from './members.ts';
import type { StateMachines } from './state-machines.ts';

export interface ApiContext {
  readonly stateMachines: StateMachines;
  readonly executions: Executions;
  readonly account: string;
  /** The region in every ARN, whatever region a client signs its requests for. */
  readonly region: string;
  /** The partition in every ARN: `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
}

export interface HttpRequest {
  readonly method: string;
  /** Path and query of the URL, not decoded. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Operation = (context: ApiContext, members: Members) => object | Promise<object>;

/** Converts a time for an answer: in AWS JSON 1.0, times are epoch seconds with a fraction. */
export const seconds = (epochMilliseconds: number): number => epochMilliseconds / 1000;

export const optional = <K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { [key in K]?: V };

export const refuseMetadataOnly = (members: Members): void => {
  members.oneOf('includedData', ['ALL_DATA']);
};
