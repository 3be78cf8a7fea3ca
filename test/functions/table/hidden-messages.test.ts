import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { isBusy, isInvalid } from '../../../functions/table/dynamodb-errors.ts';
import { withoutMessages } from '../../../functions/table/hidden-messages.ts';

async function thrownThrough(error: unknown): Promise<unknown> {
  const documents = { send: () => Promise.reject(error) } as unknown as Documents;
  return withoutMessages(documents)
    .send({} as never)
    .catch((thrown: unknown) => thrown);
}

const metadata = { httpStatusCode: 400, requestId: 'request-1' };

test.each<[string, Error, boolean, boolean]>([
  [
    'a throttled call',
    new ProvisionedThroughputExceededException({ message: 'of the key secret', $metadata: metadata }),
    true,
    false,
  ],
  [
    'a refused one',
    Object.assign(new Error('not a number: secret'), {
      name: 'ValidationException',
      $metadata: metadata,
      Item: { id: { S: 'secret' } },
    }),
    false,
    true,
  ],
  ['a broken connection', Object.assign(new Error('secret'), { code: 'ECONNRESET' }), true, false],
  [
    'a status without a name',
    Object.assign(new Error('secret'), { $metadata: { httpStatusCode: 503 } }),
    true,
    false,
  ],
])(
  'the error of %s keeps what says what to do, and loses what it says',
  async (_what, error, busy, invalid) => {
    const thrown = (await thrownThrough(error)) as Error;
    expect([isBusy(thrown), isInvalid(thrown)]).toEqual([busy, invalid]);
    expect(thrown.name).toBe(error.name);
    const everything = `${thrown} ${thrown.stack} ${JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))}`;
    expect(everything).not.toContain('secret');
  },
);

test("the request's id stays, by which AWS knows the rest", async () => {
  const error = Object.assign(new Error('secret'), { $metadata: metadata });
  expect(await thrownThrough(error)).toMatchObject({ $metadata: { requestId: 'request-1' } });
});

test('what succeeds is answered as it is', async () => {
  const documents = { send: async () => ({ Items: [1] }) } as unknown as Documents;
  expect(await withoutMessages(documents).send({} as never)).toEqual({ Items: [1] });
});
