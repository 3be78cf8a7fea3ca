import { toLambdaRecord } from '../../src/streams/lambda-record.ts';

const origin = {
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Sessions/stream/local',
  region: 'us-east-1',
};

// https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37
test('an empty map that DynamoDB Local wrote without its type has it again, at any depth', () => {
  const nameless = {} as never;
  const OldImage = { map: nameless, list: { L: [nameless, { L: [] }] }, deep: { M: { map: nameless } } };
  const record = toLambdaRecord({ sequenceNumber: '1', record: { dynamodb: { OldImage } } }, origin, 0);
  expect(record.dynamodb.OldImage).toEqual({
    map: { M: {} },
    list: { L: [{ M: {} }, { L: [] }] },
    deep: { M: { map: { M: {} } } },
  });
});
