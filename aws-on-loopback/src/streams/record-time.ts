/**
 * Calculates when a record was made, epoch milliseconds.
 * @param approximate as the stream gives it
 * @param firstReadAtMs when it was first read, by the clock of the local cloud
 */
export type RecordTime = (approximate: Date | undefined, firstReadAtMs: number) => number;

const MINUTE_MS = 60_000;

/**
 * Calculates the time of a record on the machine's clock. DynamoDB Local rounds it down to the minute, but an expiry is recognized by the
 * second. So the result is the time at which the record was first read, or the end of that minute when that is earlier. A time with
 * seconds is used as it is.
 */
export const machineRecordTime: RecordTime = (approximate, firstReadAtMs) => {
  const time = approximate?.getTime();
  if (time === undefined) return firstReadAtMs;
  if (time % MINUTE_MS !== 0) return time;
  return Math.max(time, Math.min(firstReadAtMs, time + MINUTE_MS - 1));
};

/**
 * Uses the time of the first read, for a clock that DynamoDB Local does not have, as in tests. A time with seconds, which DynamoDB Local
 * never gives, is used as it is.
 */
export const virtualRecordTime: RecordTime = (approximate, firstReadAtMs) => {
  const time = approximate?.getTime();
  return time !== undefined && time % MINUTE_MS !== 0 ? time : firstReadAtMs;
};
