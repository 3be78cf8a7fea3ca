/** @jest-environment ./test/support/dynamodb-environment.ts */
import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { ScratchTable } from '../../../operate/restore/scratch-table.ts';
import { describeShape } from '../../../operate/table/describe-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { tableInput } from '../../support/table-input.ts';

const { client } = useLocalDynamoDb();
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';

test.each([
  ['a key of its own', KEY, [{ Enabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY }]],
  ["DynamoDB's own key", undefined, []],
])('the scratch table of a table with %s has the same', async (_what, kmsKeyArn, expected) => {
  const name = kmsKeyArn === undefined ? 'Plain' : 'Encrypted';
  await client.send(new CreateTableCommand(tableInput({ name })));
  const shape = await describeShape(client, name);
  const asked: unknown[] = [];
  client.middlewareStack.add(
    next => async call => {
      const { SSESpecification, ...input } = call.input as CreateTableCommandInput;
      asked.push(SSESpecification);
      // DynamoDB Local has no KMS keys.
      return next({ ...call, input });
    },
    { step: 'initialize', name: 'asked' },
  );
  const table = { ...shape, settings: { ...shape.settings, kmsKeyArn } };
  const scratch = await ScratchTable.create(client, table, () => {});
  await scratch.remove();
  client.middlewareStack.remove('asked');
  expect(asked.filter(each => each !== undefined)).toEqual(expected);
});
