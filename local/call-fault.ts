/** A call of a local API. */
export interface ApiCall {
  /** As the API names it: `PutObject`. */
  readonly operation: string;
  /** Of HTTP: `PUT`. */
  readonly method: string;
  /** Of HTTP: path and query, as the client wrote them. */
  readonly target: string;
}

/** What is done to a call of a local API, so that tests and the lab see how a client bears it. */
export type CallFault =
  /** Answered with an error of the API; it has no effect. */
  | { readonly kind: 'refuse'; readonly error: string; readonly status: number }
  /** Never answered. @property done whether it takes effect nevertheless */
  | { readonly kind: 'hang'; readonly done: boolean }
  /** The connection breaks. @property done whether the call takes effect before */
  | { readonly kind: 'cut'; readonly done: boolean };

/** Decides what happens to a call; undefined lets it through. */
export type ChooseCallFault = (call: ApiCall) => CallFault | undefined;

/**
 * Asked for every entry of a batch that would be taken.
 *
 * @returns the name of the error, not the sender's, with which this entry alone fails; undefined lets it through
 */
export type FailEntry = () => string | undefined;
