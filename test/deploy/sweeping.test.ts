import { type Moment, sweepingIn } from './support/sweeping.ts';

const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl';
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:precise-ttl-plan-sweep';
const definitionOf = (...tables: string[]) =>
  JSON.stringify({
    States: {
      PlanSweep: {
        Arguments: { FunctionName: FUNCTION, Payload: { tables: tables.map(tableName => ({ tableName })) } },
      },
    },
  });
const DEFINITIONS = { both: definitionOf('Orders', 'Tokens'), one: definitionOf('Orders') };
const allow = (Action: string, Resource: string) =>
  JSON.stringify({ Statement: [{ Effect: 'Allow', Action: [Action], Resource: [Resource] }] });

const schedule = {
  name: 'precise-ttl-tick',
  state: 'ENABLED',
  expression: 'cron(* * * * ? *)',
  machine: MACHINE,
  role: 'schedule',
};
const machine = { arn: MACHINE, role: 'sweep', definition: 'both' };
const roles = [
  { arn: 'schedule', policies: [allow('states:StartExecution', MACHINE)] },
  { arn: 'sweep', policies: [allow('lambda:InvokeFunction', FUNCTION)] },
  { arn: 'plan-sweep', policies: [allow('dynamodb:Query', '*')] },
];
const WORKS: Moment = {
  schedules: [schedule],
  machines: [machine],
  functions: [{ arn: FUNCTION, role: 'plan-sweep' }],
  roles,
};
const rolesBut = (arn: string, policies: readonly string[]) =>
  roles.map(role => (role.arn === arn ? { arn, policies } : role));

test.each<[string, Partial<Moment>, swept?: readonly string[]]>([
  ['nothing is wrong', {}, ['Orders', 'Tokens']],
  ['there is no schedule', { schedules: [] }],
  ['it is disabled', { schedules: [{ ...schedule, state: 'DISABLED' }] }],
  ['it comes once an hour', { schedules: [{ ...schedule, expression: 'cron(7 * * * ? *)' }] }],
  ['its state machine is gone', { machines: [] }],
  ['its role is gone', { roles: roles.slice(1) }],
  ['its role has no policy', { roles: rolesBut('schedule', []) }],
  ['its role may start another one', { roles: rolesBut('schedule', [allow('states:StartExecution', 'x')]) }],
  ['the definition does not name a table', { machines: [{ ...machine, definition: 'one' }] }, ['Orders']],
  ['a function is gone', { functions: [] }],
  ['the role of the state machine is gone', { roles: roles.filter(({ arn }) => arn !== 'sweep') }],
  [
    'the state machine may call another function',
    { roles: rolesBut('sweep', [allow('lambda:InvokeFunction', 'x')]) },
  ],
  ['the role of a function is gone', { roles: roles.slice(0, 2) }],
  ['the role of a function may do nothing', { roles: rolesBut('plan-sweep', []) }],
])('when %s, the tables that are swept are known', (_name, change, swept = []) => {
  const changed = { ...WORKS, ...change };
  const told = { moments: [WORKS, changed, WORKS], definitions: DEFINITIONS };
  const { now, gaps } = sweepingIn({ ...told, moments: [WORKS, changed] });
  expect([...now].sort()).toEqual(swept);
  expect(gaps.size).toBe(0);
  // What was swept before and is swept again was not meanwhile.
  const lacking = ['Orders', 'Tokens'].filter(table => !swept.includes(table));
  expect([...sweepingIn(told).gaps.keys()].sort()).toEqual(lacking);
});

test('a second sweep beside one that is taken away leaves no gap', () => {
  const other = { ...schedule, name: 'other-tick' };
  const told = (...schedules: Moment['schedules'][]) =>
    sweepingIn({ moments: schedules.map(each => ({ ...WORKS, schedules: each })), definitions: DEFINITIONS });
  expect([...told([schedule], [schedule, other], [other]).gaps]).toEqual([]);
  expect([...told([schedule], [], [other]).gaps]).toEqual([
    ['Orders', 'no schedule is there'],
    ['Tokens', 'no schedule is there'],
  ]);
});
