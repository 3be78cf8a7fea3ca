import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from 'stepfunctions-emulator';
import { ApiError } from 'stepfunctions-emulator/loopback';

export interface QueueOptions {
  /** Name of the queue; the name of a FIFO queue ends with `.fifo`. */
  readonly name: string;
  /** @default 30, as on AWS */
  readonly visibilityTimeoutSeconds?: number;
  /** @default 0, as on AWS */
  readonly delaySeconds?: number;
  /** @default 1,048,576, as on AWS */
  readonly maximumMessageBytes?: number;
  /** In a FIFO queue, uses the content's hash when no deduplication id is given. @default false */
  readonly contentBasedDeduplication?: boolean;
}

/** A message to send. */
export interface Outgoing {
  readonly body: string;
  readonly delaySeconds?: number | undefined;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
}

/** A message that is in a queue. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** Present only in a FIFO queue. */
  readonly sequenceNumber: string | undefined;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  /** Number of times that the message was received. */
  readonly receives: number;
  /** Time of the first receipt, epoch milliseconds. */
  readonly firstReceivedAt: number | undefined;
}

export interface ReceivedMessage extends QueuedMessage {
  readonly receiptHandle: string;
}

interface Entry extends QueuedMessage {
  receives: number;
  firstReceivedAt: number | undefined;
  /** Time before which it is not received, because of a delay or the visibility timeout, epoch milliseconds. */
  visibleAt: number;
}

/** Source: Amazon SQS Developer Guide, "Exactly-once processing". */
const DEDUPLICATION_MS = 300_000;

/** Source: Amazon SQS Developer Guide, "Message quotas". */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const REFUSED_CHARACTER = /[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const ID = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

/** A queue of SQS, standard or FIFO. */
export class LocalQueue {
  readonly options: Required<QueueOptions>;
  readonly isFifo: boolean;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onMessage: (message: QueuedMessage) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #sent = new Map<string, QueuedMessage>();
  #count = 0n;

  /** @param onMessage gets every message that is new */
  constructor(
    options: QueueOptions,
    clock: Pick<Clock, 'now'>,
    onMessage: (message: QueuedMessage) => void = () => {},
  ) {
    this.options = {
      visibilityTimeoutSeconds: 30,
      delaySeconds: 0,
      maximumMessageBytes: 1_048_576,
      contentBasedDeduplication: false,
      ...options,
    };
    this.isFifo = options.name.endsWith('.fifo');
    this.#clock = clock;
    this.#onMessage = onMessage;
  }

  /** All messages that are not deleted, in the order in which they were sent. */
  get messages(): readonly QueuedMessage[] {
    return [...this.#entries.values()].map(({ visibleAt, ...message }) => message);
  }

  /** @throws {ApiError} for a message that SQS refuses */
  send(outgoing: Outgoing): QueuedMessage {
    this.#check(outgoing);
    const now = this.#clock.now();
    const deduplicationId = this.#deduplicationIdOf(outgoing);
    const same = deduplicationId === undefined ? undefined : this.#sentBefore(deduplicationId, now);
    if (same !== undefined) return same;
    const { body, groupId, delaySeconds = this.options.delaySeconds } = outgoing;
    this.#count += 1n;
    const entry: Entry = {
      messageId: randomUUID(),
      body,
      groupId,
      deduplicationId,
      sequenceNumber: this.isFifo ? `${this.#count}`.padStart(20, '0') : undefined,
      sentAt: now,
      receives: 0,
      firstReceivedAt: undefined,
      visibleAt: now + delaySeconds * 1000,
    };
    this.#entries.set(entry.messageId, entry);
    if (deduplicationId !== undefined) this.#sent.set(deduplicationId, entry);
    this.#onMessage(entry);
    return entry;
  }

  /** Receives messages that are visible, in the order in which they were sent. A FIFO queue skips groups that have a message in flight. */
  receive(
    most: number,
    visibilitySeconds: number = this.options.visibilityTimeoutSeconds,
  ): ReceivedMessage[] {
    const now = this.#clock.now();
    const blocked = new Set<string | undefined>();
    const received: ReceivedMessage[] = [];
    for (const entry of this.#entries.values()) {
      if (received.length === most) break;
      if (this.isFifo && blocked.has(entry.groupId)) continue;
      if (entry.visibleAt > now) {
        blocked.add(entry.groupId);
        continue;
      }
      entry.receives += 1;
      entry.firstReceivedAt ??= now;
      entry.visibleAt = now + visibilitySeconds * 1000;
      const { visibleAt, ...message } = entry;
      received.push({ ...message, receiptHandle: handleOf(this.options.name, entry) });
    }
    return received;
  }

  /**
   * Deletes a message. Only its newest handle deletes it, and in a FIFO queue only while it is in flight. A standard queue ignores other
   * handles, as it does for a deleted message.
   * @throws {ApiError} for a handle that isn't of this queue or, FIFO, no longer holds
   */
  delete(receiptHandle: string): void {
    const { messageId, receives } = readHandle(this.options.name, receiptHandle);
    const entry = this.#entries.get(messageId);
    if (entry === undefined) return;
    const isNewest = entry.receives === receives;
    if (this.isFifo && !(isNewest && entry.visibleAt > this.#clock.now())) {
      throw invalidParameter('ReceiptHandle', 'The receipt handle has expired.');
    }
    if (isNewest) this.#entries.delete(messageId);
  }

  /** Numbers of messages that are visible, in flight, and delayed. */
  counts(): { readonly visible: number; readonly notVisible: number; readonly delayed: number } {
    const now = this.#clock.now();
    const hidden = [...this.#entries.values()].filter(entry => entry.visibleAt > now);
    const notVisible = hidden.filter(entry => entry.receives > 0).length;
    return {
      visible: this.#entries.size - hidden.length,
      notVisible,
      delayed: hidden.length - notVisible,
    };
  }

  #check({ body, delaySeconds, groupId, deduplicationId }: Outgoing): void {
    const refused = REFUSED_CHARACTER.exec(body);
    if (refused !== null) {
      const code = refused[0].codePointAt(0)?.toString(16).padStart(4, '0');
      throw new ApiError(
        'InvalidMessageContents',
        `MessageBody: expected characters that SQS allows, got U+${code} at ${refused.index}`,
      );
    }
    const { maximumMessageBytes } = this.options;
    if (Buffer.byteLength(body) > maximumMessageBytes) {
      throw invalidParameter(
        'MessageBody',
        `Message must be shorter than ${maximumMessageBytes} bytes, and has ${Buffer.byteLength(body)}.`,
      );
    }
    for (const [field, id] of Object.entries({
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    })) {
      if (id !== undefined && !ID.test(id)) {
        throw invalidParameter(field, '1 to 128 letters, digits and punctuation marks.');
      }
    }
    if (this.isFifo) {
      if (groupId === undefined) {
        throw new ApiError(
          'MissingRequiredParameterException',
          'The request must contain the parameter MessageGroupId.',
        );
      }
      if (delaySeconds !== undefined) {
        throw invalidParameter('DelaySeconds', 'Of a FIFO queue only the queue itself has a delay.');
      }
    } else if (deduplicationId !== undefined) {
      throw invalidParameter('MessageDeduplicationId', 'Only FIFO queues have it.');
    }
  }

  #deduplicationIdOf({ body, deduplicationId }: Outgoing): string | undefined {
    if (!this.isFifo || deduplicationId !== undefined) return deduplicationId;
    if (this.options.contentBasedDeduplication) return createHash('sha256').update(body).digest('hex');
    throw invalidParameter(
      'MessageDeduplicationId',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly.',
    );
  }

  #sentBefore(deduplicationId: string, now: number): QueuedMessage | undefined {
    for (const [id, { sentAt }] of this.#sent) {
      if (now - sentAt < DEDUPLICATION_MS) break; // The remaining messages were sent later.
      this.#sent.delete(id);
    }
    return this.#sent.get(deduplicationId);
  }
}

function handleOf(queue: string, { messageId, receives }: Entry): string {
  return Buffer.from(JSON.stringify([queue, messageId, receives])).toString('base64');
}

function readHandle(queue: string, handle: string): { messageId: string; receives: number } {
  try {
    const [of, messageId, receives] = JSON.parse(Buffer.from(handle, 'base64').toString()) as unknown[];
    if (of === queue && typeof messageId === 'string' && typeof receives === 'number') {
      return { messageId, receives };
    }
  } catch {}
  throw new ApiError(
    'ReceiptHandleIsInvalid',
    `ReceiptHandle: expected one of a message that was received from ${queue}, got ${JSON.stringify(handle.slice(0, 100))}`,
  );
}

function invalidParameter(field: string, reason: string): ApiError {
  return new ApiError(
    'InvalidParameterValueException',
    `Value for parameter ${field} is invalid. Reason: ${reason}`,
  );
}
