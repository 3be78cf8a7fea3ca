import { graphWith, placesOf, readDefinition } from '../../page/model/definition.ts';
import { failedVisit, HistoryModel, variablesAt } from '../../page/model/history.ts';
import { type Box, labelOf, layOut } from '../../page/model/layout.ts';
import { retriesOf, statesOf, takenTransitions, transitionKey } from '../../page/model/path.ts';
import { type HistoryEvent, seededRandom } from '../../src/interpreter/index.ts';
import { pageEvent } from '../../src/page/events.ts';
import {
  type ExecutionResult,
  fails,
  type RunOptions,
  stateMachine,
  takes,
} from '../../src/testing/index.ts';
import { graph, pass, raise } from '../interpreter/run-definition.ts';
import { definitionOf, task } from '../testing/support.ts';
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
  Reserve: ({ sku }: { sku: string }) => (sku === 'gone' ? raise('OutOfStock')() : { sku }),
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
  expect(failedVisit(model)).toBeUndefined();
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
  expect(failedVisit(model)?.name).toBe('Rejected');
  expect(at('Rejected')?.error).toBe('Rejected');
  expect(takenTransitions(model)).toContain(transitionKey('Prepare', 'Rejected', true));
});

test('each attempt of a Parallel has branches of its own', async () => {
  const definition = definitionOf({
    Both: {
      Type: 'Parallel',
      Branches: [graph('Left', pass), graph('Right', task('Ship'))],
      Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 5 }],
      End: true,
    },
  });
  const machine = stateMachine.from(definition);
  const execution = await machine.run({ functions: { Ship: [fails('Busy'), 'done'] } });
  const model = modelOf(definition, execution.assertSucceeded());
  const [both, ...inside] = model.visits;
  expect(inside.map(({ name, outcome, line }) => `${name} ${outcome} ${line.index}`)).toEqual([
    'Left succeeded 0',
    'Right failed 1',
    'Left succeeded 0',
    'Right succeeded 1',
  ]);
  expect(inside.map(({ line }) => line)).toEqual([...new Set(inside.map(({ line }) => line))]);
  expect(both?.attempts.map(({ from, to = 0, error }) => [to - from, error])).toEqual([
    [0, 'Busy'],
    [0, undefined],
  ]);
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

test('an execution that failed inside of a Map has failed in the iteration', async () => {
  const Work = (item: number) => {
    if (item === 500) raise('Strange')();
    return item;
  };
  const { model, execution } = await modelOfRun(MANY, { input: { items: 1_000 }, functions: { Work } });
  expect(execution.status).toBe('FAILED');
  // Forty run at once.
  expect(model.visits[0]?.iterations).toHaveLength(520);
  expect(failedVisit(model)).toMatchObject({ name: 'Work', error: 'Strange', line: { index: 499 } });
});

test('each event stands with the visit that it is about', async () => {
  const Validate = [fails('Busy'), takes(500, order)];
  const { model } = await modelOfRun(ORDERS, { input: order, functions: { ...FUNCTIONS, Validate } });
  const told = model.events.map(({ event: { type }, visit }) => `${type} ${visit?.name ?? '–'}`);
  expect(told.slice(0, 8)).toEqual([
    'ExecutionStarted –',
    'TaskStateEntered Validate',
    'LambdaFunctionScheduled Validate',
    'LambdaFunctionStarted Validate',
    'LambdaFunctionFailed Validate',
    'LambdaFunctionScheduled Validate',
    'LambdaFunctionStarted Validate',
    'LambdaFunctionSucceeded Validate',
  ]);
  expect(told.at(-1)).toBe('ExecutionSucceeded –');
  const [validate] = model.visits;
  expect(validate?.attempts.map(({ from, to = 0, error }) => [to - from, error])).toEqual([
    [0, 'Busy'],
    [500, undefined],
  ]);
  expect(validate && [retriesOf(validate), validate.outcome, validate.error]).toEqual([
    1,
    'succeeded',
    undefined,
  ]);
  expect(told.filter(each => each.startsWith('MapIteration'))).toEqual(
    ['Started', 'Started', 'Started', 'Succeeded', 'Succeeded', 'Succeeded'].map(
      what => `MapIteration${what} Reserve all`,
    ),
  );
  const exits = model.events.filter(({ event }) => event.type.endsWith('StateExited'));
  for (const { event, visit } of exits) expect([visit?.name, visit?.exitId]).toEqual([event.name, event.id]);
});

// How a definition is drawn.

const drawn = readDefinition(JSON.stringify(ORDERS));

const isInside = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
const overlap = (one: Box, other: Box) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

test('each state is drawn once, inside of its Map or Parallel and beside all others', () => {
  const { boxes, width, height } = layOut(drawn);
  const places = placesOf(drawn);
  expect(boxes.map(({ state }) => state.name).sort()).toEqual([...places.keys()].sort());
  const boxOf = (name: string) => boxes.find(({ state }) => state.name === name) as Box;
  const around = (name: string): string[] => {
    const parent = places.get(name)?.parent;
    return parent === undefined ? [] : [parent, ...around(parent)];
  };
  for (const box of boxes) {
    expect(isInside(box, { ...box, x: 0, y: 0, width, height })).toBe(true);
    for (const other of boxes) {
      if (other === box) continue;
      const name = other.state.name;
      if (around(box.state.name).includes(name)) expect(isInside(box, boxOf(name))).toBe(true);
      else if (!around(name).includes(box.state.name)) expect(overlap(box, other)).toBe(false);
    }
  }
});

test('an arrow stands for each transition, from the start and to the end', () => {
  const arrows = layOut(drawn).arrows.map(({ from, to, transition }) => `${from} ${transition.kind} ${to}`);
  expect(arrows).toEqual(
    expect.arrayContaining([
      ' next Validate',
      'Validate catch Rejected',
      'Reserve catch Back-order',
      'Large? choice Ask a person',
      'Large? default Ship',
      'Ship next ',
      'Rejected next ',
    ]),
  );
  expect(arrows.length).toBe(new Set(arrows).size);
});

test('an execution that a Map Run has started is of what is inside of the Map', () => {
  expect(graphWith(drawn, 'Charge')?.states.map(({ name }) => name)).toEqual(['Cool down', 'Charge']);
  expect(graphWith(drawn, 'Nowhere')).toBeUndefined();
});

test('a definition that is none has no states, and a transition that leads nowhere no arrow', () => {
  expect(layOut(readDefinition('nothing')).boxes).toEqual([]);
  const broken = readDefinition('{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"}}}');
  expect(layOut(broken).arrows.map(({ to }) => to)).toEqual(['A']);
});

test('no arrow leaves the drawing, also where it goes round all boxes', () => {
  const random = seededRandom(27);
  const any = (number: number) => Math.floor(random.next() * number);
  for (let round = 0; round < 20; round++) {
    const names = Array.from({ length: 9 }, (_none, index) => `State ${index}`);
    const States = names.map((name, index) => {
      const Choices = Array.from({ length: 1 + any(3) }, () => ({
        Condition: '{% $long %}',
        Next: names[any(9)],
      }));
      return [name, { Type: 'Choice', Choices, Default: names[index + 1] ?? names[0] }];
    });
    const text = JSON.stringify({ StartAt: names[0], States: Object.fromEntries(States) });
    const { arrows, width, height } = layOut(readDefinition(text));
    const points = arrows.flatMap(arrow => arrow.points);
    expect(points.filter(({ x, y }) => x < 0 || x > width || y < 0 || y > height)).toEqual([]);
  }
});

test.each([
  ["$states.input.next = 'record'", "next = 'record'"],
  ['$toMillis($states.context.State.EnteredTime) > 5', '$toMillis(context.State.E…'],
  ['$lines > 100', '$lines > 100'],
])('the arrow of the condition %s says what tells it from others', (label, expected) => {
  expect(labelOf({ to: 'Next', kind: 'choice', label })).toBe(expected);
});
