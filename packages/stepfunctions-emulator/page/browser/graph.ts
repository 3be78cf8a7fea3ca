import type { Outcome } from '../model/history.ts';
import {
  type Arrow,
  type Box,
  type Layout,
  labelOf,
  NAME_LENGTH,
  type Point,
  shortened,
} from '../model/layout.ts';
import { type StateSummary, transitionKey } from '../model/path.ts';
import { drawn, whenPressed } from './element.ts';
import { count, OUTCOMES, SIGNS } from './text.ts';

export interface Path {
  readonly states: ReadonlyMap<string, StateSummary>;
  readonly taken: ReadonlySet<string>;
  readonly outcome: Outcome | undefined;
}

interface DrawnState {
  readonly box: Box;
  readonly group: SVGGElement;
  readonly about: SVGTextElement;
}

export class GraphView {
  readonly svg: SVGSVGElement;
  readonly #states = new Map<string, DrawnState>();
  readonly #arrows: { readonly arrow: Arrow; readonly group: SVGGElement }[] = [];
  readonly #ends: SVGElement[] = [];

  constructor(layout: Layout, select: (state: string) => void) {
    const { width, height } = layout;
    this.svg = drawn('svg', {
      viewBox: `0 0 ${width} ${height}`,
      ...{ role: 'group', 'aria-label': 'The states of the definition' },
    });
    this.svg.style.maxWidth = `${width}px`;
    this.svg.style.maxHeight = `${height}px`;
    for (const box of layout.boxes) this.#addState(box, () => select(box.state.name));
    // Arrows come after boxes: otherwise the box of a Map or Parallel would hide the arrows inside.
    for (const arrow of layout.arrows) this.#addArrow(arrow);
    for (const { x, y, kind } of layout.terminals) {
      const circle = drawn('circle', { class: `terminal ${kind}`, cx: x, cy: y, r: 5.5 });
      if (kind === 'end') this.#ends.push(circle);
      this.svg.append(circle);
    }
    this.svg.addEventListener('keydown', event => this.#move(event));
    [...this.#states.values()][0]?.group.setAttribute('tabindex', '0');
  }

  show({ states, taken, outcome }: Path): void {
    for (const [name, { group, about, box }] of this.#states) {
      const summary = states.get(name);
      group.setAttribute('class', `state ${summary?.outcome ?? 'unvisited'}`);
      about.textContent = aboutState(box.state.type, summary);
      group.setAttribute('aria-label', labelOfState(name, box.state.type, summary));
    }
    for (const { arrow, group } of this.#arrows) group.setAttribute('class', classOf(arrow, taken, outcome));
    for (const end of this.#ends) end.setAttribute('class', `terminal end ${outcome ?? ''}`);
  }

  mark(selected: string | undefined): void {
    for (const [name, { group }] of this.#states)
      group.setAttribute('aria-pressed', String(name === selected));
  }

  #addState(box: Box, press: () => void): void {
    const { state, x, y, width, height } = box;
    const holdsOthers = state.branches.length > 0;
    const middle = x + width / 2;
    const title = drawn('text', { x: middle, y: y + 18, class: 'name' }, shortened(state.name, NAME_LENGTH));
    const about = drawn('text', { x: middle, y: y + 33, class: 'about' }, state.type);
    if (holdsOthers) {
      title.setAttribute('x', String(x + 12));
      title.setAttribute('y', String(y + 19));
      about.setAttribute('x', String(x + width - 12));
      about.setAttribute('y', String(y + 19));
    }
    const group = drawn(
      'g',
      {
        ...{ class: 'state', role: 'button', tabindex: '-1', 'data-state': state.name },
        onclick: press,
        onkeydown: whenPressed(press),
      },
      drawn('title', {}, state.name),
      drawn('rect', { x, y, width, height, rx: holdsOthers ? 10 : 7 }),
      title,
      about,
    );
    if (holdsOthers) group.dataset['holdsOthers'] = 'yes';
    this.#states.set(state.name, { box, group, about });
    this.svg.append(group);
  }

  #addArrow(arrow: Arrow): void {
    const { points, transition, labelAt, isInside } = arrow;
    const group = drawn('g', {}, drawn('path', { d: curveThrough(points) }), headOf(points));
    if (isInside) group.dataset['inside'] = 'yes';
    if (labelAt !== undefined) {
      const text = drawn('text', { x: labelAt.x, y: labelAt.y + 4 }, labelOf(transition));
      group.append(text, drawn('title', {}, transition.label));
    }
    this.#arrows.push({ arrow, group });
    this.svg.append(group);
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const groups = [...this.#states.values()].map(({ group }) => group);
    const from = groups.find(group => group === document.activeElement);
    if (step === undefined || from === undefined) return;
    event.preventDefault();
    const to = groups[groups.indexOf(from) + step] ?? from;
    from.setAttribute('tabindex', '-1');
    to.setAttribute('tabindex', '0');
    to.focus();
  }
}

function aboutState(type: string, summary: StateSummary | undefined): string {
  if (summary === undefined) return type;
  const { visits, retries, outcome } = summary;
  const times = visits.length > 1 ? ` · ${visits.length.toLocaleString('en-US')}×` : '';
  return `${SIGNS[outcome]}${type}${times}${retries > 0 ? ` · ↻ ${retries.toLocaleString('en-US')}` : ''}`;
}

function labelOfState(name: string, type: string, summary: StateSummary | undefined): string {
  if (summary === undefined) return `${name}, ${type}, not visited`;
  const { visits, retries, outcome } = summary;
  const again = retries === 0 ? '' : `, ${count(retries, 'retry', 'retries')}`;
  return `${name}, ${type}, ${OUTCOMES[outcome]}, ${count(visits.length, 'visit')}${again}`;
}

function classOf(
  { from, to, transition: { kind } }: Arrow,
  taken: Path['taken'],
  outcome: Path['outcome'],
): string {
  if (!taken.has(transitionKey(from, to, kind === 'catch'))) return `arrow ${kind}`;
  const colour = kind === 'catch' ? 'caught' : to === '' && outcome === 'failed' ? 'failed' : 'succeeded';
  return `arrow ${kind} ${colour}`;
}

/** SVG path of a curve from the first point to the last point. The curve passes near the other points. */
function curveThrough(points: readonly Point[]): string {
  const [first = { x: 0, y: 0 }, ...others] = points;
  const parts = [`M${at(first)}`];
  for (const [index, point] of others.entries()) {
    const next = others[index + 1];
    parts.push(next === undefined ? `L${at(point)}` : `Q${at(point)} ${at(between(point, next))}`);
  }
  return parts.join('');
}

const at = ({ x, y }: Point): string => `${x.toFixed(1)},${y.toFixed(1)}`;
const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });

function headOf(points: readonly Point[]): SVGPathElement {
  const end = points.at(-1) ?? { x: 0, y: 0 };
  const before = points.at(-2) ?? end;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  const transform = `translate(${at(end)}) rotate(${angle.toFixed(0)})`;
  return drawn('path', { class: 'head', d: 'M0,0L-7,-3.5L-7,3.5Z', transform });
}
