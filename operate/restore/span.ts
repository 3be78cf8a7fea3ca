/** Times of expiry, epoch milliseconds: from the first, before the second. */
export interface ExpirySpan {
  readonly fromMs: number;
  readonly beforeMs: number;
}

export const ALL_TIME: ExpirySpan = {
  fromMs: Number.NEGATIVE_INFINITY,
  beforeMs: Number.POSITIVE_INFINITY,
};
