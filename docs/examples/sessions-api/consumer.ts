import type { ExpiryEvent } from 'precise-ttl';

/** Tells a user that the session has ended by itself. `eventId` is the same if an event comes twice. */
export type Tell = (user: string, eventId: string) => Promise<void>;

/** Makes the handler of the Lambda function that gets the expiries. */
export function createConsumer(tell: Tell) {
  return async (events: readonly ExpiryEvent[]) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { id, oldImage } of events) {
      try {
        const user = oldImage?.['user'];
        if (user !== undefined && 'S' in user) await tell(user.S, id);
      } catch (error) {
        // This event comes again, and the others do not.
        console.error(error);
        batchItemFailures.push({ itemIdentifier: id });
      }
    }
    return { batchItemFailures };
  };
}
