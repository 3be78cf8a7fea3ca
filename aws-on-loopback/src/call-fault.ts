import { ApiError, type HttpProtocol } from 'stepfunctions-emulator/loopback';

/** A call of a local API. */
export interface ApiCall {
  /** Operation, as the API names it: `PutObject`. */
  readonly operation: string;
  /** The HTTP method: `PUT`. */
  readonly method: string;
  /** Path and query of the HTTP request, as the client wrote them. */
  readonly target: string;
}

/** A fault in a call of a local API, so that tests and the lab can check how a client handles it. */
export type CallFault =
  /** The call is answered with an error of the API and has no effect. */
  | { readonly kind: 'refuse'; readonly error: string; readonly status: number }
  /** The call is never answered. */
  | { readonly kind: 'hang'; readonly done: boolean }
  /** The connection breaks. */
  | { readonly kind: 'cut'; readonly done: boolean };

/** Decides what happens to a call; undefined lets it through. */
export type ChooseCallFault = (call: ApiCall) => CallFault | undefined;

/**
 * Called for every entry of a batch that would be accepted.
 * @returns the name of the error, not the sender's, with which this entry alone fails; undefined lets it through
 */
export type FailEntry = () => string | undefined;

/** Adds faults to the calls of a protocol. */
export function withFaults(protocol: HttpProtocol, choose: ChooseCallFault): HttpProtocol {
  return {
    ...protocol,
    async answer(request) {
      const { method, target } = request;
      const fault = choose({ operation: protocol.operationOf(request), method, target });
      if (fault === undefined) return protocol.answer(request);
      if (fault.kind === 'refuse') throw new ApiError(fault.error, 'injected', fault.status);
      // Nobody can read the answer, so an error of it does not matter.
      if (fault.done) await protocol.answer(request).catch(() => undefined);
      return fault.kind === 'cut' ? undefined : new Promise(() => {});
    },
  };
}

/** Result of one entry of a batch. */
type EntryOutcome =
  | { readonly answer: object }
  | { readonly code: string; readonly message: string; readonly isSenders: boolean };

/** Answers each entry of a batch separately; one that fails, or is refused with an {@link ApiError}, does not affect the others. */
export function answerEach<Entry>(
  entries: readonly Entry[],
  failEntry: FailEntry | undefined,
  answer: (entry: Entry) => object,
): EntryOutcome[] {
  return entries.map(entry => {
    try {
      const injected = failEntry?.();
      if (injected !== undefined) return { code: injected, message: 'injected', isSenders: false };
      return { answer: answer(entry) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.name, message: error.message, isSenders: true };
    }
  });
}

/** Fields of an answer to a batch: `Entries` and `FailedEntryCount`, or `Records` and `FailedRecordCount`. */
export function batchAnswer(
  list: 'Entries' | 'Records',
  count: 'FailedEntryCount' | 'FailedRecordCount',
  outcomes: readonly EntryOutcome[],
): object {
  return {
    [count]: outcomes.filter(outcome => 'code' in outcome).length,
    [list]: outcomes.map(outcome =>
      'code' in outcome ? { ErrorCode: outcome.code, ErrorMessage: outcome.message } : outcome.answer,
    ),
  };
}
