import type { Segment, Visit } from '../model/history.ts';
import { retriesOf } from '../model/path.ts';
import { axisTimes, type Row } from '../model/waterfall.ts';
import { element, whenPressed } from './element.ts';
import { LazyList, type LazyRow } from './lazy-list.ts';
import {
  type CellItem,
  cellStrip,
  count,
  duration,
  heightOfCells,
  OUTCOMES,
  SEGMENTS,
  SIGNS,
} from './text.ts';

const ROW_PX = 26;
const INDENT_PX = 14;
/** Where there is less room, a row has its bars below its name. */
const SLIM_PX = 560;
const SLIM_ROW_PX = 42;
/** As in style.css. */
const AXIS_PX = 26;
const BESIDE_TRACK_PX = 336;
const TIME_PX = 90;

/** The content of the waterfall. */
export interface Shown {
  readonly rows: readonly Row[];
  readonly from: number;
  /** End of the time axis: the end of the execution, or now. */
  readonly to: number;
  readonly selected: number | undefined;
  /** The iterations of a Map, or the executions of its Map Run. */
  itemsOf(map: Visit): readonly (CellItem | undefined)[];
  chosenOf(map: Visit): number | undefined;
}

export interface WaterfallEvents {
  readonly select: (visit: Visit) => void;
  readonly choose: (map: Visit, index: number) => void;
}

/** The visits below each other, with their times as bars. */
export class Waterfall {
  readonly element: HTMLElement;
  readonly #axis: HTMLElement;
  readonly #list: LazyList;
  readonly #events: WaterfallEvents;
  #shown: Shown | undefined;
  #width = 0;

  constructor(events: WaterfallEvents) {
    this.#events = events;
    this.#axis = element('div', { class: 'axis', 'aria-hidden': 'true' });
    const scrolled = element('div', { class: 'scrolled' });
    this.element = element('div', { class: 'waterfall', role: 'group', 'aria-label': 'Visits in time' });
    this.element.append(scrolled);
    scrolled.append(this.#axis);
    this.#list = new LazyList(scrolled);
    // A strip of cells takes more lines when the page becomes narrower.
    new ResizeObserver(() => {
      if (scrolled.clientWidth === this.#width || this.#shown === undefined) return;
      this.show(this.#shown);
    }).observe(scrolled);
  }

  show(shown: Shown): void {
    this.#shown = shown;
    this.#width = this.#list.container.clientWidth;
    this.element.classList.toggle('slim', this.#isSlim);
    this.#drawAxis(shown);
    this.#list.set(shown.rows.map(row => this.#rowOf(row, shown)));
  }

  /** Scrolls to a visit. */
  reveal(id: number): void {
    const index = this.#shown?.rows.findIndex(row => row.kind === 'visit' && row.visit.id === id) ?? -1;
    if (index >= 0) this.#list.reveal(index);
  }

  /** How high it is when all rows are in sight. */
  get height(): number {
    return this.#list.height + AXIS_PX + 10;
  }

  get #isSlim(): boolean {
    return this.#width < SLIM_PX;
  }

  #drawAxis({ from, to, rows }: Shown): void {
    const track = this.#width - (this.#isSlim ? 0 : BESIDE_TRACK_PX);
    const times = axisTimes(to - from, Math.max(2, Math.floor(track / TIME_PX)));
    const texts = times.map(time => {
      const share = time / (to - from);
      const place = share === 0 ? 'first' : share > 0.93 ? 'last' : '';
      const made = element('span', { class: place }, time === 0 ? '0' : `+${duration(time)}`);
      made.style.left = `${100 * share}%`;
      return made;
    });
    this.#axis.replaceChildren(legendOf(rows, to), element('div', { class: 'track' }, ...texts));
  }

  #rowOf(row: Row, shown: Shown): LazyRow {
    if (row.kind === 'visit')
      return { height: this.#isSlim ? SLIM_ROW_PX : ROW_PX, draw: () => this.#visitRow(row, shown) };
    const { map, depth } = row;
    const items = shown.itemsOf(map);
    return {
      height: heightOfCells(items.length, depth, this.#width),
      draw: () =>
        element(
          'div',
          { class: 'row strip' },
          cellStrip({
            ...{ items, depth, chosen: shown.chosenOf(map) },
            what: map.mapRunArn === undefined ? 'iteration' : 'execution',
            choose: index => this.#events.choose(map, index),
          }),
        ),
    };
  }

  #visitRow({ visit, depth, note }: Extract<Row, { kind: 'visit' }>, shown: Shown): HTMLElement {
    const press = () => this.#events.select(visit);
    const took = duration((visit.to ?? shown.to) - visit.from);
    const retries = retriesOf(visit);
    const again = retries === 0 ? '' : `, ${count(retries, 'retry', 'retries')}`;
    const name = element(
      'span',
      { class: 'name', title: visit.name },
      element('i', { class: `dot ${visit.outcome}` }),
      visit.name,
      ...(note === '' ? [] : [element('small', {}, note)]),
    );
    name.style.paddingLeft = `${8 + depth * INDENT_PX}px`;
    return element(
      'div',
      {
        ...{ class: 'row', role: 'button', tabindex: '0', 'data-visit': visit.id },
        'aria-label': `${visit.name}, ${OUTCOMES[visit.outcome]}, ${took}${again}`,
        'aria-pressed': String(visit.id === shown.selected),
        onclick: press,
        onkeydown: whenPressed(press),
      },
      name,
      element('span', { class: 'track' }, ...barsOf(visit, shown)),
      element(
        'span',
        { class: 'took' },
        `${SIGNS[visit.outcome]}${retries === 0 ? '' : `↻ ${retries} · `}${took}`,
      ),
    );
  }
}

/** Legend of the hatches, if there are any. */
function legendOf(rows: readonly Row[], now: number): HTMLElement {
  const shown = new Set(
    rows.flatMap(row => (row.kind === 'visit' ? segmentsOf(row.visit, now).map(({ kind }) => kind) : [])),
  );
  const kinds = (['wait', 'retry'] as const).filter(kind => shown.has(kind));
  const keys = kinds.flatMap(kind => [element('i', { class: `bar ${kind}` }), KEYS[kind]]);
  return element('div', { class: 'legend' }, ...keys);
}

const KEYS = { wait: 'wait', retry: 'pause before a retry' } as const;

function barsOf(visit: Visit, { from, to }: Shown): HTMLElement[] {
  const whole = Math.max(1, to - from);
  const bar = (kind: string, begin: number, end: number, title: string): HTMLElement => {
    const made = element('i', { class: `bar ${kind}`, title });
    made.style.left = `${(100 * (begin - from)) / whole}%`;
    made.style.width = `${(100 * (end - begin)) / whole}%`;
    return made;
  };
  const all = bar(`whole ${visit.outcome}`, visit.from, visit.to ?? to, visit.name);
  return [
    all,
    ...segmentsOf(visit, to).map(segment => {
      const end = segment.to ?? to;
      const kind = segment.kind === 'attempt' ? (segment.failed ? 'failed' : visit.outcome) : '';
      const title = `${SEGMENTS[segment.kind]}, ${duration(end - segment.from)}${segment.error ? `: ${segment.error}` : ''}`;
      return bar(`${segment.kind} ${kind}`, segment.from, end, title);
    }),
  ];
}

/** The segments of a visit, with the current pause if the next attempt has not begun. */
export function segmentsOf({ segments, outcome }: Visit, now: number): Segment[] {
  const last = segments.at(-1);
  if (outcome !== 'running' || last?.to === undefined || !last.failed) return segments;
  return [...segments, { kind: 'retry', from: last.to, to: now }];
}
