import { readFileSync } from 'node:fs';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { codeBlocks } from '../support/code-blocks.ts';

const DOCUMENT = 'docs/use.md';
const NAMES = ['pk', 'sk'];

/** What must come out, in any language. */
const ROWS = readFileSync('docs/files/windows.csv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map(line => {
    const [ttl, minutes, shards, key = '', window = ''] = line.split(',');
    return {
      ttl: Number(ttl),
      granularityMinutes: Number(minutes),
      shards: Number(shards),
      key: key.split(' / '),
      window,
    };
  });

test('there are such rows, with every type of key and with shards', () => {
  const types = new Set(ROWS.flatMap(({ key }) => key.map(text => text[0])));
  expect(types).toEqual(new Set(['S', 'N', 'B']));
  expect(ROWS.filter(({ window }) => window.includes('#')).length).toBeGreaterThan(3);
});

test.each(ROWS)(
  'an item with $key that expires at $ttl',
  ({ ttl, granularityMinutes, shards, key, window }) => {
    const [partitionKey = '', sortKey = ''] = NAMES;
    const model = expiryModel({
      partitionKey,
      ...(key.length > 1 && { sortKey }),
      granularityMinutes,
      shards,
    });
    const item = Object.fromEntries(key.map((text, index) => [NAMES[index], keyValue(text)]));
    expect(expiryAttributes(model, item, { expiresAt: ttl, nowMs: (ttl - 60) * 1000 })).toEqual({
      ttl,
      expirationWindow: window,
    });
  },
);

test('the model of the page is one', () => {
  const [json = ''] = codeBlocks(DOCUMENT, 'json');
  const props: ExpiryModelProps = JSON.parse(json);
  const { partitionKey, sortKey, shards, granularitySeconds } = expiryModel(props);
  expect({ partitionKey, sortKey, shards, granularitySeconds }).toEqual({
    partitionKey: 'UserName',
    sortKey: 'SessionId',
    shards: 4,
    granularitySeconds: 86_400,
  });
});

/** The value of a key as the document client takes it. */
function keyValue(text: string): unknown {
  const value = text.slice(2);
  if (text.startsWith('S:')) return value;
  return text.startsWith('N:') ? NumberValue.from(value) : new Uint8Array(Buffer.from(value, 'base64'));
}
