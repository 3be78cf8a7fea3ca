import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import type { PlainStack } from '../../stacks/app.ts';
import { type Access, covers, type Grant, type Held, hold, readRoles } from '../support/permissions/roles.ts';

type Blocks = PlainStack['resource'];

function rolesOf(resource: Blocks) {
  const stack = { region: 'us-east-1', resource, data: {}, output: {}, archives: {} };
  return [...readRoles(synthesizedCloud(stack)).values()];
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
  ['dynamodb:query', TABLE, TABLE, true],
  ['dynamodb:Q?e*', TABLE, TABLE, true],
  ['dynamodb:Query', `${TABLE}/index/*`, `${TABLE}/index/i`, true],
  ['dynamodb:Query', 'arn:aws:dynamodb:*:123456789012:table/T', TABLE, true],
  ['dynamodb:Scan', TABLE, TABLE, false],
  ['dynamodb:Query', TABLE, `${TABLE}/index/i`, false],
  ['dynamodb:Query', TABLE, `${TABLE}2`, false],
  ['dynamodb:Query', TABLE, TABLE.toLowerCase(), false],
  // A dot is a dot.
  ['dynamodb:Query', `${TABLE}.x`, `${TABLE}-x`, false],
  // The service and the account aren't reached by a wildcard of the resource.
  ['dynamodb:Query', 'arn:aws:s3:::*', TABLE, false],
  ['dynamodb:Query', TABLE, '*', false],
])('%s on %s covers a query on %s: %p', (action, pattern, resource, isCovered) => {
  expect(covers({ action, resource: pattern }, { action: 'dynamodb:Query', resource })).toBe(isCovered);
});

const query = { action: 'dynamodb:Query', resource: TABLE };
const LOGS = 'arn:aws:logs:r:1:log-group:';
const CHILD = 'arn:aws:states:r:1:execution:m/l:1';

test.each<[string, Access[], Grant[], Partial<Held>]>([
  ['nothing for what is just enough', [query], [query], {}],
  ['what is missing', [query], [], { missing: [query] }],
  ['what is unused', [], [query], { unused: [query] }],
  ...[{ action: 'dynamodb:*' }, { resource: '*' }, { resource: `${TABLE}*` }].map(
    (wide): [string, Access[], Grant[], Partial<Held>] => [
      `what is wide: ${JSON.stringify(wide)}`,
      ...([[query], [{ ...query, ...wide }]] as [Access[], Grant[]]),
      { wide: [{ ...query, ...wide }] },
    ],
  ),
  [
    'nothing for a call without resources',
    [{ action: 'x:X', resource: '*' }],
    [{ action: 'x:X', resource: '*' }],
    {},
  ],
])('finds %s', (_what, used, granted, found) => {
  expect(hold(used, granted)).toEqual({ missing: [], unused: [], wide: [], ...found });
});

test.each([
  [`${LOGS}/g:*`, `${LOGS}/g:log-stream:s`, true],
  [`${LOGS}*`, `${LOGS}/g:log-stream:s`, false],
  ['arn:aws:states:r:1:execution:m/*', CHILD, true],
  ['arn:aws:states:r:1:execution:m*', CHILD, false],
])('%s is no wider than it has to be: %p', (resource, used, isFine) => {
  const grant = { action: 'a:B', resource };
  expect(hold([{ action: 'a:B', resource: used }], [grant]).wide).toEqual(isFine ? [] : [grant]);
});
