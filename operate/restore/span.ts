/** Span of expiry times, epoch milliseconds: [fromMs, beforeMs). */
export interface ExpirySpan {
  readonly fromMs: number;
  readonly beforeMs: number;
}

export const ALL_TIME: ExpirySpan = {
  fromMs: Number.NEGATIVE_INFINITY,
  beforeMs: Number.POSITIVE_INFINITY,
};
