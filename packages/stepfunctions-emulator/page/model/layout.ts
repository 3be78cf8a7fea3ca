import { Graph as DagreGraph, layout } from '@dagrejs/dagre';
import type { Graph, GraphState, Transition } from './definition.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The rectangle of a state. The rectangle of a Map or Parallel contains the rectangles of the inner states. */
export interface Box {
  readonly state: GraphState;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly transition: Transition;
  readonly points: readonly Point[];
  readonly labelAt: Point | undefined;
  /** Whether the arrow is inside a Map or a Parallel. */
  readonly isInside: boolean;
}

export interface Terminal extends Point {
  readonly kind: 'start' | 'end';
}

/** A drawing. In `boxes`, a Map or Parallel comes before its inner states, which are then drawn on top. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
  readonly terminals: readonly Terminal[];
}

const BOX_HEIGHT = 42;
const TITLE_HEIGHT = 30;
const PADDING = 14;
const TERMINAL = 14;
const CHARACTER_WIDTH = 7.2;
const LABEL_CHARACTER_WIDTH = 6;
/** Maximum lengths of a state's name and of an arrow's label, characters. Longer texts are cut. */
export const NAME_LENGTH = 30;
const LABEL_LENGTH = 26;

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Computes the drawing of a graph. The inside of a Map or Parallel is computed first, because it decides the size of the state's box. */
export function layOut(graph: Graph, outermost = true): Layout {
  const inner = new Map(graph.states.map(state => [state.name, insideOf(state)]));
  const dagre = new DagreGraph({ multigraph: true });
  dagre.setGraph({ ranksep: 28, nodesep: 26, edgesep: 14, marginx: PADDING, marginy: PADDING });
  for (const state of graph.states) dagre.setNode(nodeOf(state.name), sizeOf(state, inner.get(state.name)));
  const known = new Set(graph.states.map(({ name }) => name));
  for (const { name, transitions } of graph.states) {
    for (const [index, transition] of transitions.entries()) {
      if (!known.has(transition.to)) continue;
      const width = labelOf(transition).length * LABEL_CHARACTER_WIDTH;
      const size = width === 0 ? {} : { width: width + 8, height: 16, labelpos: 'c' as const };
      dagre.setEdge(nodeOf(name), nodeOf(transition.to), { ...size, minlen: 1 }, `${index}`);
    }
  }
  if (outermost && known.has(graph.startAt)) addTerminals(dagre, graph);
  layout(dagre);
  const { width = 0, height = 0 } = dagre.graph();
  const drawn = graph.states.map(state => ({ state, node: dagre.node(nodeOf(state.name)) }));
  const own: Box[] = drawn.map(({ state, node }) => ({
    state,
    x: node.x - node.width / 2,
    y: node.y - node.height / 2,
    width: node.width,
    height: node.height,
  }));
  const arrows = graph.states.flatMap(state =>
    state.transitions.flatMap((transition, index): Arrow[] => {
      if (!known.has(transition.to)) return [];
      const edge = dagre.edge(nodeOf(state.name), nodeOf(transition.to), `${index}`);
      const labelAt = edge.width ? { x: edge.x ?? 0, y: edge.y ?? 0 } : undefined;
      return [
        {
          ...{ from: state.name, to: transition.to, transition, labelAt },
          points: edge.points ?? [],
          isInside: !outermost,
        },
      ];
    }),
  );
  const outer = [...arrows, ...terminalArrows(dagre, graph)];
  // The width from dagre covers only boxes and labels: an arrow can lie outside of this width.
  const across = outer.flatMap(({ points }) => points.map(({ x }) => x));
  const left = Math.min(0, ...across.map(x => x - PADDING));
  const right = Math.max(width, ...across.map(x => x + PADDING));
  const insides = own.flatMap(box => placed(inner.get(box.state.name) ?? [], box));
  return moved(
    {
      ...{ width: right - left, height },
      boxes: [...own, ...insides.flatMap(({ boxes }) => boxes)],
      arrows: [...outer, ...insides.flatMap(each => each.arrows)],
      terminals: terminalsOf(dagre),
    },
    { x: -left, y: 0 },
  );
}

/** Labels leave this text out to save room: most conditions begin with this text. */
const STATES_INPUT = /\$states\.(?:input\.)?/g;

/** Text beside an arrow. dagre keeps room for the length of this text. */
export const labelOf = ({ label }: Transition): string =>
  shortened(label.replace(STATES_INPUT, ''), LABEL_LENGTH);

const insideOf = (state: GraphState): Layout[] => state.branches.map(branch => layOut(branch, false));

// The prefix makes the keys of states different from the keys START and END.
const nodeOf = (name: string): string => `state ${name}`;
const START = 'start';
const END = 'end';

function sizeOf(
  { name, type }: GraphState,
  inner: readonly Layout[] = [],
): { width: number; height: number } {
  const characters = Math.max(shortened(name, NAME_LENGTH).length, type.length + 12);
  const width = Math.max(120, characters * CHARACTER_WIDTH + 24);
  if (inner.length === 0) return { width, height: BOX_HEIGHT };
  const across = inner.reduce((sum, each) => sum + each.width, 0);
  const height = Math.max(...inner.map(each => each.height));
  return { width: Math.max(width, across), height: TITLE_HEIGHT + height };
}

function addTerminals(dagre: DagreGraph, { startAt, states }: Graph): void {
  dagre.setNode(START, { width: TERMINAL, height: TERMINAL });
  dagre.setEdge(START, nodeOf(startAt), {}, START);
  const last = states.filter(({ ends }) => ends);
  if (last.length === 0) return;
  dagre.setNode(END, { width: TERMINAL, height: TERMINAL });
  for (const { name } of last) dagre.setEdge(nodeOf(name), END, {}, END);
}

function terminalsOf(dagre: DagreGraph): Terminal[] {
  return ([START, END] as const).flatMap(kind => {
    if (!dagre.hasNode(kind)) return [];
    const { x, y } = dagre.node(kind);
    return [{ kind, x, y }];
  });
}

/** Arrows from the start point and to the end point. In `from` and `to`, these points have an empty name. */
function terminalArrows(dagre: DagreGraph, { startAt, states }: Graph): Arrow[] {
  const arrow = (from: string, to: string, key: string, names: { from: string; to: string }): Arrow[] => {
    const points = dagre.hasEdge(from, to, key) ? dagre.edge(from, to, key).points : undefined;
    const transition: Transition = { to: names.to, kind: 'next', label: '' };
    return points === undefined
      ? []
      : [{ ...names, transition, points, labelAt: undefined, isInside: false }];
  };
  return [
    ...arrow(START, nodeOf(startAt), START, { from: '', to: startAt }),
    ...states.flatMap(({ name }) => arrow(nodeOf(name), END, END, { from: name, to: '' })),
  ];
}

/** Moves the inner drawings of a Map or Parallel into the state's box: side by side, in the middle. */
function placed(inner: readonly Layout[], box: Box): Layout[] {
  const across = inner.reduce((sum, { width }) => sum + width, 0);
  let left = box.x + (box.width - across) / 2;
  return inner.map(each => {
    const by = { x: left, y: box.y + TITLE_HEIGHT };
    left += each.width;
    return moved(each, by);
  });
}

function moved(layout: Layout, by: Point): Layout {
  const move = <P extends Point>(point: P): P => ({ ...point, x: point.x + by.x, y: point.y + by.y });
  return {
    ...layout,
    boxes: layout.boxes.map(move),
    terminals: layout.terminals.map(move),
    arrows: layout.arrows.map(arrow => ({
      ...arrow,
      points: arrow.points.map(move),
      labelAt: arrow.labelAt && move(arrow.labelAt),
    })),
  };
}
