import { placesOf, readDefinition } from '../../page/model/definition.ts';
import { HistoryModel, variablesAt } from '../../page/model/history.ts';
import { retriesOf, statesOf, takenTransitions, transitionKey } from '../../page/model/path.ts';
import { rowsOf } from '../../page/model/waterfall.ts';
import type { HistoryEvent } from '../../src/interpreter/index.ts';
import { pageEvent } from '../../src/page/events.ts';
import {
  type ExecutionResult,
  fails,
  type RunOptions,
  stateMachine,
  takes,
} from '../../src/testing/index.ts';
import { MANY, ORDERS } from './support.ts';

// What the page makes of a history, compared with what the harness says of the same execution.

function modelOf(definition: object, { history }: ExecutionResult): HistoryModel {
  const model = new HistoryModel(placesOf(readDefinition(JSON.stringify(definition))));
  for (const event of history) model.add(pageEvent(event as unknown as HistoryEvent));
  return model;
}

async function modelOfRun(definition: object, options: RunOptions) {
  const execution = await stateMachine.from(definition).run(options);
  return { execution, model: modelOf(definition, execution) };
}

const FUNCTIONS = {
  Validate: (order: unknown) => order,
  Reserve: ({ sku }: { sku: string }) => {
    if (sku === 'gone') throw Object.assign(new Error('none left'), { name: 'OutOfStock' });
    return { sku };
  },
  Charge: { receipt: 'r-1' },
  Ship: { parcel: 'p-1' },
};
const order = { order: 'o-1', seconds: 600, lines: [{ sku: 'a' }, { sku: 'gone' }, { sku: 'c' }] };
const summary = ({ visits }: HistoryModel) => visits.map(({ name, outcome }) => `${name} ${outcome}`);

/** Each exit stands with the entry that the harness found for it. */
function expectSameVisits(model: HistoryModel, { visits }: ExecutionResult): void {
  expect(model.visits.map(({ id, name, from }) => ({ id, name, from }))).toEqual(
    visits.map(({ enteredEventId: id, name, enteredDate: from }) => ({ id, name, from })),
  );
  const exited = visits.filter(({ exitedDate }) => exitedDate !== undefined);
  expect(model.visits.filter(({ exitId }) => exitId !== undefined).map(({ id, to }) => [id, to])).toEqual(
    exited.map(({ enteredEventId, exitedDate }) => [enteredEventId, exitedDate]),
  );
}

test('an order that succeeds: branches, iterations, a Wait and a failure that was caught', async () => {
  const { execution, model } = await modelOfRun(ORDERS, { input: order, functions: FUNCTIONS });
  execution.assertSucceeded();
  expectSameVisits(model, execution);
  expect(summary(model)).toEqual([
    'Validate succeeded',
    'Prepare succeeded',
    'Reserve all succeeded',
    'Cool down succeeded',
    'Reserve succeeded',
    'Reserve caught',
    'Reserve succeeded',
    'Back-order succeeded',
    'Charge succeeded',
    'Large? succeeded',
    'Ship succeeded',
  ]);
  const wait = model.visits.find(({ name }) => name === 'Cool down');
  expect(wait?.segments).toEqual([{ kind: 'wait', from: wait?.from, to: (wait?.from ?? 0) + 600_000 }]);
  const taken = takenTransitions(model);
  expect(taken).toContain(transitionKey('Reserve', 'Back-order', true));
  expect(taken).toContain(transitionKey('Large?', 'Ship', false));
  expect(taken).toContain(transitionKey('Ship', '', false));
  expect(taken).not.toContain(transitionKey('Prepare', 'Rejected', true));
  expect(statesOf(model).get('Reserve')).toMatchObject({ outcome: 'caught', retries: 0 });
});

test('iterations that overlap: each exit belongs to its own entry, not to the last', async () => {
  // What was entered last is left last, too.
  const Reserve = [1, 2, 3].map(seconds => takes(seconds * 1_000, { took: seconds }));
  const { execution, model } = await modelOfRun(ORDERS, {
    input: order,
    functions: { ...FUNCTIONS, Reserve },
  });
  expectSameVisits(model, execution);
  const reserved = model.visits.filter(({ name }) => name === 'Reserve');
  expect(reserved.map(({ line, from, to = 0 }) => [line.index, to - from])).toEqual([
    [0, 1_000],
    [1, 2_000],
    [2, 3_000],
  ]);
  const map = model.visits.find(({ name }) => name === 'Reserve all');
  expect(map?.iterations.map(({ from, to = 0 }) => to - from)).toEqual([1_000, 2_000, 3_000]);
});

test('retries are attempts with pauses between them', async () => {
  const Validate = [fails('Busy'), fails('Busy', 'again'), takes(500, order)];
  const { model } = await modelOfRun(ORDERS, { input: order, functions: { ...FUNCTIONS, Validate } });
  const [validate] = model.visits;
  if (validate === undefined) throw new Error('no visit');
  const spans = validate.segments.map(({ kind, from, to = 0, error }) => [kind, to - from, error]);
  expect(spans).toEqual([
    ['attempt', 0, 'Busy'],
    ['retry', 1_000, undefined],
    ['attempt', 0, 'Busy'],
    ['retry', 2_000, undefined],
    ['attempt', 500, undefined],
  ]);
  expect(validate.segments[2]?.cause).toMatch(/again/);
  expect([retriesOf(validate), validate.outcome, validate.error]).toEqual([2, 'succeeded', undefined]);
});

test('a failure cuts off what runs beside it, and goes on to the state that catches it', async () => {
  const { execution, model } = await modelOfRun(ORDERS, {
    input: { ...order, seconds: 1 },
    functions: { ...FUNCTIONS, Reserve: takes(60_000, {}), Charge: fails('CardDeclined', 'no money') },
  });
  expect(execution.status).toBe('FAILED');
  expect(summary(model)).toEqual([
    'Validate succeeded',
    'Prepare caught',
    'Reserve all cutOff',
    'Cool down succeeded',
    'Reserve cutOff',
    'Reserve cutOff',
    'Reserve cutOff',
    'Charge failed',
    'Rejected failed',
  ]);
  const at = (name: string) => model.visits.find(visit => visit.name === name);
  expect(at('Reserve')?.to).toBe(at('Charge')?.to);
  expect(at('Charge')).toMatchObject({ error: 'CardDeclined' });
  expect(at('Reserve all')?.iterations.map(({ outcome }) => outcome)).toEqual(['cutOff', 'cutOff', 'cutOff']);
  expect(at('Rejected')?.error).toBe('Rejected');
  expect(takenTransitions(model)).toContain(transitionKey('Prepare', 'Rejected', true));
});

test('each attempt of a Parallel has branches of its own', async () => {
  const Resource = ORDERS.States.Ship.Resource;
  const definition = {
    QueryLanguage: 'JSONata',
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: [
          { StartAt: 'Left', States: { Left: { Type: 'Pass', End: true } } },
          { StartAt: 'Right', States: { Right: { Type: 'Task', Resource, End: true } } },
        ],
        Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 5 }],
        End: true,
      },
    },
  };
  const machine = stateMachine.from(definition);
  const execution = await machine.run({ functions: { Ship: [fails('Busy'), 'done'] } });
  const model = modelOf(definition, execution.assertSucceeded());
  const [both] = model.visits;
  expect(
    both?.branches.map(({ index, visits }) => [index, visits.map(({ outcome }) => outcome).join()]),
  ).toEqual([
    [0, 'succeeded'],
    [1, 'failed'],
    [0, 'succeeded'],
    [1, 'succeeded'],
  ]);
  expect(both?.segments.map(({ kind, from, to = 0, error }) => [kind, to - from, error])).toEqual([
    ['attempt', 0, 'Busy'],
    ['retry', 5_000, undefined],
    ['attempt', 0, undefined],
  ]);
});

test('an execution that runs: what is open lasts', async () => {
  const machine = stateMachine.from(ORDERS);
  const running = machine.start({ input: order, functions: FUNCTIONS });
  await running.clock.sleep(60_000);
  running.stop();
  const { history } = await running.result();
  const model = new HistoryModel(placesOf(readDefinition(JSON.stringify(ORDERS))));
  for (const event of history.slice(0, -1)) model.add(pageEvent(event as unknown as HistoryEvent));
  const running2 = () => model.visits.filter(({ outcome }) => outcome === 'running').map(({ name }) => name);
  expect(running2()).toEqual(['Prepare', 'Cool down']);
  model.add(pageEvent(history.at(-1) as unknown as HistoryEvent));
  expect(running2()).toEqual([]);
  expect(summary(model)).toContain('Cool down cutOff');
});

test('variables are those of the line and of the lines around it', async () => {
  const { model, execution } = await modelOfRun(ORDERS, { input: order, functions: FUNCTIONS });
  const seenBy = (name: string) => {
    const visit = model.visits.find(each => each.name === name);
    return visit && [...variablesAt(visit)];
  };
  const validated = execution.events('TaskStateExited')[0]?.id;
  expect(seenBy('Validate')).toEqual([]);
  expect(seenBy('Reserve')).toEqual([
    ['order', validated],
    ['lines', validated],
  ]);
});

test('of a thousand iterations, the rows are those of one: the first that failed, or which is chosen', async () => {
  const Work = (item: number) => {
    if (item === 500) throw Object.assign(new Error('no'), { name: 'Strange' });
    return item;
  };
  const { model, execution } = await modelOfRun(MANY, { input: { items: 1_000 }, functions: { Work } });
  expect(execution.status).toBe('FAILED');
  const [each] = model.visits;
  // Forty run at once.
  expect(each?.iterations).toHaveLength(520);
  expect(each?.iterations[499]?.outcome).toBe('failed');
  const rows = (chosen: [number, number][]) =>
    rowsOf(model, new Map(chosen)).map(row =>
      row.kind === 'visit' ? `${row.note}${row.visit.name}` : 'cells',
    );
  expect(rows([])).toEqual(['Each', 'cells', '#499Work']);
  expect(rows([[each?.id ?? 0, 7]])).toEqual(['Each', 'cells', '#7Work', 'Tidy']);
});

test('of 25,000 events every visit is there, with its exit', async () => {
  const { execution, model } = await modelOfRun(MANY, { input: { items: 2_700 }, functions: { Work: 1 } });
  expect(execution.history.length).toBeGreaterThan(24_000);
  expectSameVisits(model, execution);
  expect(statesOf(model).get('Work')?.visits).toHaveLength(2_700);
});
