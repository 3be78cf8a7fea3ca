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
  ['the schedule is disabled', { schedules: [{ ...schedule, state: 'DISABLED' }] }],
  ['it comes once an hour', { schedules: [{ ...schedule, expression: 'cron(7 * * * ? *)' }] }],
  ['its state machine is gone', { machines: [] }],
  ['its role may start another one', { roles: rolesBut('schedule', [allow('states:StartExecution', 'x')]) }],
  ['the definition does not name a table', { machines: [{ ...machine, definition: 'one' }] }, ['Orders']],
  ['a function is gone', { functions: [] }],
  ['it may call another function', { roles: rolesBut('sweep', [allow('lambda:InvokeFunction', 'x')]) }],
  ['the role of a function may do nothing', { roles: rolesBut('plan-sweep', []) }],
])('when %s, the tables that are swept are known', (_name, change, swept = []) => {
  const told = { moments: [WORKS, { ...WORKS, ...change }], definitions: DEFINITIONS };
  expect([[...sweepingIn(told).now].sort(), sweepingIn(told).gaps.size]).toEqual([swept, 0]);
  // What was swept before and is swept again was not meanwhile.
  const { gaps } = sweepingIn({ ...told, moments: [...told.moments, WORKS] });
  expect([...gaps.keys()].sort()).toEqual(['Orders', 'Tokens'].filter(table => !swept.includes(table)));
});

test('a second sweep beside one that is taken away leaves no gap', () => {
  const moments = [[schedule], [schedule, { ...schedule, name: 'other-tick' }], [schedule]];
  const told = { moments: moments.map(schedules => ({ ...WORKS, schedules })), definitions: DEFINITIONS };
  expect(sweepingIn(told).gaps.size).toBe(0);
});
