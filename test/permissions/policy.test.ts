import { covers, hold } from '../support/permissions/policy.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/T';

test.each([
  ['dynamodb:Query', TABLE, 'dynamodb:Query', TABLE],
  ['dynamodb:query', TABLE, 'dynamodb:Query', TABLE],
  ['dynamodb:*', TABLE, 'dynamodb:Query', TABLE],
  ['dynamodb:Q?ery', TABLE, 'dynamodb:Query', TABLE],
  ['dynamodb:Query', '*', 'dynamodb:Query', TABLE],
  ['dynamodb:Query', `${TABLE}/index/*`, 'dynamodb:Query', `${TABLE}/index/i`],
  ['dynamodb:Query', 'arn:aws:dynamodb:*:123456789012:table/T', 'dynamodb:Query', TABLE],
  [
    'logs:PutLogEvents',
    'arn:aws:logs:r:1:log-group:g:*',
    'logs:PutLogEvents',
    'arn:aws:logs:r:1:log-group:g:log-stream:s',
  ],
  ['xray:PutTraceSegments', '*', 'xray:PutTraceSegments', '*'],
])('%s on %s covers %s on %s', (grant, pattern, action, resource) => {
  expect(covers({ action: grant, resource: pattern }, { action, resource })).toBe(true);
});

test.each([
  ['dynamodb:Query', TABLE, 'dynamodb:Scan', TABLE],
  ['dynamodb:Query', TABLE, 'dynamodb:Query', `${TABLE}/index/i`],
  ['dynamodb:Query', `${TABLE}/index/i`, 'dynamodb:Query', TABLE],
  ['dynamodb:Query', TABLE, 'dynamodb:Query', `${TABLE}2`],
  ['dynamodb:Query', TABLE, 'dynamodb:Query', TABLE.toLowerCase()],
  // A dot is a dot.
  ['dynamodb:Query', `${TABLE}.x`, 'dynamodb:Query', `${TABLE}-x`],
  // The service and the account aren't reached by a wildcard of the resource.
  ['dynamodb:Query', 'arn:aws:s3:::*', 'dynamodb:Query', TABLE],
  ['xray:PutTraceSegments', 'arn:aws:xray:*:*:*', 'xray:PutTraceSegments', '*'],
])('%s on %s does not cover %s on %s', (grant, pattern, action, resource) => {
  expect(covers({ action: grant, resource: pattern }, { action, resource })).toBe(false);
});

describe('hold', () => {
  const query = { action: 'dynamodb:Query', resource: TABLE };
  test.each([
    ['nothing for what is just enough', [query], [query], {}],
    ['what is missing', [query], [], { missing: [query] }],
    ['what is unused', [], [query], { unused: [query] }],
    [
      'a wildcard for the action',
      [query],
      [{ ...query, action: 'dynamodb:*' }],
      { wide: [{ ...query, action: 'dynamodb:*' }] },
    ],
    [
      'a wildcard for the resource',
      [query],
      [{ ...query, resource: '*' }],
      { wide: [{ ...query, resource: '*' }] },
    ],
    [
      'a wildcard in a name',
      [query],
      [{ ...query, resource: `${TABLE}*` }],
      { wide: [{ ...query, resource: `${TABLE}*` }] },
    ],
    [
      'nothing for a call without resources',
      [{ action: 'xray:X', resource: '*' }],
      [{ action: 'xray:X', resource: '*' }],
      {},
    ],
  ])('finds %s', (_what, used, granted, found) => {
    expect(hold(used, granted)).toEqual({ missing: [], unused: [], wide: [], ...found });
  });

  test.each([
    ['arn:aws:logs:r:1:log-group:/g:*', 'arn:aws:logs:r:1:log-group:/g:log-stream:s', true],
    ['arn:aws:logs:r:1:log-group:*', 'arn:aws:logs:r:1:log-group:/g:log-stream:s', false],
    ['arn:aws:states:r:1:execution:m/*', 'arn:aws:states:r:1:execution:m/l:1', true],
    ['arn:aws:states:r:1:execution:m*', 'arn:aws:states:r:1:execution:m/l:1', false],
    ['arn:aws:states:r:1:execution:*', 'arn:aws:states:r:1:execution:m/l:1', false],
  ])('%s is no wider than it has to be: %p', (pattern, resource, fine) => {
    const grant = { action: 'a:B', resource: pattern };
    expect(hold([{ action: 'a:B', resource }], [grant]).wide).toEqual(fine ? [] : [grant]);
  });
});
