import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { handmadeStack, type StackParts } from '../support/handmade-stack.ts';
import { readRoles } from '../support/permissions/roles.ts';

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
