import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { handmadeStack, type StackParts } from '../support/handmade-stack.ts';
import { covers, hold, readRoles } from '../support/permissions/roles.ts';

type Blocks = NonNullable<StackParts['resource']>;

function rolesOf(resource: Blocks) {
  const made = handmadeStack({ resource });
  try {
    return [...readRoles(synthesizedCloud(made.stack)).values()];
  } finally {
    made.remove();
  }
}

const trust = JSON.stringify({
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});
const role = { aws_iam_role: { r: { name: 'r', assume_role_policy: trust } } };
const policy = (...Statement: Record<string, unknown>[]): Blocks => ({
  ...role,
  aws_iam_role_policy: { p: { name: 'p', role: 'r', policy: JSON.stringify({ Statement }) } },
});

test('reads every action of a role on every resource', () => {
  const statement = { Effect: 'Allow', Action: ['a:B', 'a:C'], Resource: ['x', 'y'] };
  expect(rolesOf(policy(statement, { Effect: 'Allow', Action: 'd:E', Resource: '*' }))).toEqual([
    {
      name: 'r',
      arn: 'arn:aws:iam::123456789012:role/r',
      trusts: ['lambda.amazonaws.com'],
      grants: [
        { action: 'a:B', resource: 'x' },
        { action: 'a:B', resource: 'y' },
        { action: 'a:C', resource: 'x' },
        { action: 'a:C', resource: 'y' },
        { action: 'd:E', resource: '*' },
      ],
    },
  ]);
});

// Whatever is overlooked here would be granted without a proof.
test.each<[string, Blocks, string]>([
  ['Deny', policy({ Effect: 'Deny', Action: 'a:B', Resource: 'x' }), 'policy: expected Allow'],
  ['NotAction', policy({ Effect: 'Allow', NotAction: 'a:B', Resource: 'x' }), 'policy: expected Allow'],
  [
    'managed policies',
    { aws_iam_role: { r: { ...role.aws_iam_role.r, managed_policy_arns: ['x'] } } },
    'managed_policy_arns',
  ],
  [
    'a policy of no role',
    { aws_iam_role_policy: { p: { role: 'r', policy: '{"Statement":[]}' } } },
    'expected a role of the same',
  ],
  [
    'attachments',
    { ...role, aws_iam_role_policy_attachment: { a: { role: 'r', policy_arn: 'x' } } },
    'in aws_iam_role_policy only',
  ],
  [
    'no JSON',
    { ...role, aws_iam_role_policy: { p: { role: 'r', policy: 'x' } } },
    'expected a policy as JSON',
  ],
])('fails for %s', (_what, resource, message) => {
  expect(() => rolesOf(resource)).toThrow(message);
});

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
