import type { ExpiryModel } from '../../expiry/model.ts';
import type { ResolvedProps } from '../../stacks/props.ts';
import type { Invocation } from '../invocation.ts';

/** What is looked at: a table of the configuration, and how commands that mend it are called. */
export interface Subject {
  readonly props: ResolvedProps;
  readonly model: ExpiryModel;
  readonly region: string;
  readonly call: Invocation;
}
