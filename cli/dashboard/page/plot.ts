import { element, shape } from './dom.ts';
import { linear, type Scale, timeTicks } from './scales.ts';
import { minuteOf } from './words.ts';

/** The area of a plot that is drawn on, pixels. */
interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A time that a pointer can select, and the text for it. */
export interface Point {
  readonly at: number;
  readonly words: string;
}

interface Plot {
  readonly title: string;
  readonly legend: readonly Node[];
  /** Start and end of the axis, epoch milliseconds. */
  readonly span: readonly [number, number];
  /** The oldest first. */
  readonly points: readonly Point[];
  /** Text that is shown if there are no points. */
  readonly empty: string;
  readonly scale: (bottom: number, top: number) => Scale;
  readonly tickText: (value: number) => string;
  readonly shapes: (
    x: (at: number) => number,
    y: (value: number) => number,
    frame: Frame,
  ) => readonly SVGElement[];
  /** A summary for screen readers. */
  readonly summary: string;
}

const HEIGHT = 220;
const MARGIN = { left: 52, right: 10, top: 12, bottom: 26 } as const;
/** Width of a time on the axis, pixels. */
const TIME_PX = 64;
/** Smallest width of a plot; any phone is wider. */
const MIN_WIDTH = 240;

/** Draws a plot of the last minutes into a part of the page. It shows the numbers of the time that the pointer or the arrow keys select. */
export function plot(place: HTMLElement, asked: Plot): readonly Node[] {
  // The newest numbers are shown while no time is selected.
  const newest = asked.points.at(-1)?.words ?? '';
  const readout = element('p', { class: 'readout', 'aria-live': 'polite' }, newest);
  return [
    element(
      'div',
      { class: 'plot-head' },
      element('h3', {}, asked.title),
      element('div', { class: 'legend' }, ...asked.legend),
    ),
    asked.points.length === 0
      ? element('p', { class: 'quiet empty' }, asked.empty)
      : drawing(place, asked, text => readout.replaceChildren(text ?? newest)),
    readout,
  ];
}

function drawing(place: HTMLElement, asked: Plot, tell: (text: string | undefined) => void): SVGElement {
  const style = getComputedStyle(place);
  const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
  const width = Math.max(MIN_WIDTH, place.clientWidth - padding);
  const frame = {
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    bottom: HEIGHT - MARGIN.bottom,
  };
  const x = linear(...asked.span, [frame.left, frame.right]);
  const scale = asked.scale(frame.bottom, frame.top);
  const cursor = shape('line', { class: 'cursor', y1: frame.top, y2: frame.bottom, visibility: 'hidden' });
  const drawn = shape(
    'svg',
    {
      ...{ id: `${place.id}-plot`, class: 'plot', viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT },
      ...{ tabindex: 0, role: 'img', 'aria-label': asked.summary },
    },
    ...axes(asked, frame, x, scale),
    ...asked.shapes(x, scale.at, frame),
    cursor,
  );
  pointing(drawn, asked.points, x, chosen => {
    cursor.setAttribute('visibility', chosen === undefined ? 'hidden' : 'visible');
    for (const side of ['x1', 'x2']) cursor.setAttribute(side, String(x(chosen?.at ?? 0)));
    tell(chosen?.words);
  });
  return drawn;
}

function axes(
  { span, tickText }: Plot,
  { left, right, bottom }: Frame,
  x: (at: number) => number,
  { at, ticks }: Scale,
): SVGElement[] {
  const room = Math.max(2, Math.floor((right - left) / TIME_PX));
  return [
    ...ticks.flatMap(value => [
      shape('line', { class: 'grid', x1: left, x2: right, y1: at(value), y2: at(value) }),
      shape('text', { class: 'tick', x: left - 8, y: at(value) + 4, 'text-anchor': 'end' }, tickText(value)),
    ]),
    ...timeTicks(span, room)
      .filter(time => x(time) < right - TIME_PX / 4)
      .map(time =>
        shape(
          'text',
          {
            class: 'tick',
            x: x(time),
            y: bottom + 18,
            'text-anchor': x(time) < left + TIME_PX / 4 ? 'start' : 'middle',
          },
          minuteOf(new Date(time).toISOString()),
        ),
      ),
  ];
}

/** Reports the point nearest to the pointer, or selected by the arrow keys; undefined for none. */
function pointing(
  drawn: SVGElement,
  points: readonly Point[],
  x: (at: number) => number,
  choose: (chosen: Point | undefined) => void,
): void {
  let index: number | undefined;
  const show = (next: number | undefined) => {
    index = next;
    choose(next === undefined ? undefined : points[next]);
  };
  drawn.addEventListener('pointermove', event => {
    const { left, width } = drawn.getBoundingClientRect();
    const scaled = (event.clientX - left) * (Number(drawn.getAttribute('viewBox')?.split(' ')[2]) / width);
    const distances = points.map(({ at }) => Math.abs(x(at) - scaled));
    show(distances.indexOf(Math.min(...distances)));
  });
  drawn.addEventListener('pointerleave', () => show(undefined));
  drawn.addEventListener('blur', () => show(undefined));
  drawn.addEventListener('keydown', event => {
    const last = points.length - 1;
    const next = {
      ArrowLeft: (index ?? last + 1) - 1,
      ArrowRight: (index ?? last - 1) + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(Math.min(last, Math.max(0, next)));
  });
}

/** An entry of the legend: a patch of colour and its text. */
export function key(name: string, text: string): HTMLElement {
  return element('span', { class: 'key' }, element('i', { class: `swatch ${name}` }), text);
}
