import type { Segment, Visit } from '../model/history.ts';
import { retriesOf } from '../model/path.ts';
import type { Row } from '../model/rows.ts';
import { type CellItem, cellStrip, heightOfCells } from './cells.ts';
import { element, whenPressed } from './element.ts';
import { LazyList, type LazyRow } from './lazy-list.ts';
import { count, duration, OUTCOMES, SEGMENTS } from './text.ts';

const ROW_PX = 26;
const INDENT_PX = 14;
const TICKS = 4;

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
    this.#drawAxis(shown);
    this.#list.set(shown.rows.map(row => this.#rowOf(row, shown)));
  }

  /** Scrolls to a visit. */
  reveal(id: number): void {
    const index = this.#shown?.rows.findIndex(row => row.kind === 'visit' && row.visit.id === id) ?? -1;
    if (index >= 0) this.#list.reveal(index);
  }

  #drawAxis({ from, to }: Shown): void {
    const ticks = Array.from({ length: TICKS + 1 }, (_none, tick) => {
      const made = element('span', {}, tick === 0 ? '0' : `+${duration(((to - from) * tick) / TICKS)}`);
      made.style.left = `${(100 * tick) / TICKS}%`;
      return made;
    });
    this.#axis.replaceChildren(element('div', { class: 'track' }, ...ticks));
  }

  #rowOf(row: Row, shown: Shown): LazyRow {
    if (row.kind === 'visit') return { height: ROW_PX, draw: () => this.#visitRow(row, shown) };
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
      element('span', { class: 'took' }, retries === 0 ? took : `↻ ${retries} · ${took}`),
    );
  }
}

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
