import { graphWith, placesOf, readDefinition } from '../../page/model/definition.ts';
import { type Box, labelOf, layOut } from '../../page/model/layout.ts';
import { seededRandom } from '../../src/interpreter/index.ts';
import { ORDERS } from './support.ts';

const graph = readDefinition(JSON.stringify(ORDERS));

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
  const { boxes, width, height } = layOut(graph);
  const places = placesOf(graph);
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
  const arrows = layOut(graph).arrows.map(({ from, to, transition }) => `${from} ${transition.kind} ${to}`);
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
  expect(graphWith(graph, 'Charge')?.states.map(({ name }) => name)).toEqual(['Cool down', 'Charge']);
  expect(graphWith(graph, 'Nowhere')).toBeUndefined();
});

test('a definition that is none has no states, and a transition that leads nowhere no arrow', () => {
  expect(layOut(readDefinition('nothing')).boxes).toEqual([]);
  const broken = readDefinition('{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"}}}');
  expect(layOut(broken).arrows.map(({ to }) => to)).toEqual(['A']);
});

test('no arrow leaves the drawing, also where it goes round all boxes', () => {
  const random = seededRandom(27);
  const any = (number: number) => Math.floor(random.next() * number);
  for (let round = 0; round < 60; round++) {
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
    for (const { x, y } of arrows.flatMap(({ points }) => points)) {
      expect({ x: x >= 0 && x <= width, y: y >= 0 && y <= height }).toEqual({ x: true, y: true });
    }
  }
});

test.each([
  ["$states.input.next = 'record'", "next = 'record'"],
  ['$toMillis($states.context.State.EnteredTime) > 5', '$toMillis(context.State.E…'],
  ['$lines > 100', '$lines > 100'],
])('the arrow of the condition %s says what tells it from others', (label, expected) => {
  expect(labelOf({ to: 'Next', kind: 'choice', label })).toBe(expected);
});
