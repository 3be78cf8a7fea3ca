import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { type Documents, withoutMessages } from '../../../functions/table/dynamodb.ts';
import { isBusy, isInvalid } from '../../../functions/table/dynamodb-errors.ts';

async function thrownThrough(error: unknown): Promise<unknown> {
  const documents = { send: () => Promise.reject(error) } as unknown as Documents;
  return withoutMessages(documents)
    .send({} as never)
    .catch((thrown: unknown) => thrown);
}

const $metadata = { httpStatusCode: 400, requestId: 'request-1' };
const failure = (more: object) => Object.assign(new Error('not a number: secret'), more);

test.each<[string, Error, 'busy' | 'invalid']>([
  ['a throttled call', new ProvisionedThroughputExceededException({ message: 'secret', $metadata }), 'busy'],
  [
    'a refused one',
    failure({ name: 'ValidationException', $metadata, Item: { id: { S: 'secret' } } }),
    'invalid',
  ],
  ['a broken connection', failure({ code: 'ECONNRESET' }), 'busy'],
  ['a status without a name', failure({ $metadata: { httpStatusCode: 503 } }), 'busy'],
])(
  'the error of %s keeps its name, the id of its request and what to do, and loses what it says',
  async (_what, error, kind) => {
    const thrown = (await thrownThrough(error)) as Error;
    expect([isBusy(thrown), isInvalid(thrown)]).toEqual([kind === 'busy', kind === 'invalid']);
    expect(thrown).toMatchObject({
      name: error.name,
      ...('$metadata' in error && { $metadata: error.$metadata }),
    });
    const everything = `${thrown} ${thrown.stack} ${JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))}`;
    expect(everything).not.toContain('secret');
  },
);

test('what succeeds is answered as it is', async () => {
  const documents = { send: async () => ({ Items: [1] }) } as unknown as Documents;
  expect(await withoutMessages(documents).send({} as never)).toEqual({ Items: [1] });
});
