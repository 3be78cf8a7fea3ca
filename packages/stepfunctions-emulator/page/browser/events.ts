import type { HistoryModel, VisitEvent } from '../model/history.ts';
import { element, searchField } from './element.ts';
import { LazyList } from './lazy-list.ts';
import { count, duration, SIGNS } from './text.ts';

export class EventTable {
  readonly element = element('section', { class: 'events', 'aria-label': 'Events' });
  readonly #search = searchField('Search events', () => this.#filter());
  readonly #found = element('small', { role: 'status' });
  readonly #list: LazyList<VisitEvent>;
  #model: HistoryModel | undefined;
  #from = 0;
  #chosen: VisitEvent | undefined;

  constructor(choose: (chosen: VisitEvent) => void) {
    this.#list = new LazyList<VisitEvent>({
      ...{ label: 'Events', itemPx: 26, choose },
      fill: (place, event) => fillEvent(place, event, this.#from),
    });
    const heads = ['', 'Event', 'State', 'After', ''].map(head => element('span', {}, head));
    this.element.append(
      element('div', { class: 'filter' }, this.#search, this.#found),
      element('div', { class: 'heads', 'aria-hidden': 'true' }, ...heads),
      this.#list.element,
    );
  }

  /** @param from start of the execution, epoch milliseconds */
  show(model: HistoryModel, from: number, chosen: VisitEvent | undefined): void {
    this.#model = model;
    this.#from = from;
    this.#chosen = chosen;
    this.#filter();
  }

  /** Shows only events that contain the text. An empty text shows all events. */
  search(text: string): void {
    this.#search.value = text;
    this.#filter();
  }

  reveal(): void {
    this.#list.reveal();
  }

  #filter(): void {
    const wanted = this.#search.value.toLowerCase();
    const all = this.#model?.events ?? [];
    const found = wanted === '' ? all : all.filter(each => textOf(each).includes(wanted));
    this.#found.textContent =
      wanted === '' ? '' : `${found.length.toLocaleString('en-US')} of ${count(all.length, 'event')}`;
    this.#list.set(found, this.#chosen);
  }
}

/** `#17` for an event directly in the iteration with index 17 of an inline Map; an empty text for any other event. */
const placeOf = ({ visit, event }: VisitEvent): string => {
  if (event.type.startsWith('MapIteration')) return `#${event.index}`;
  return visit?.line.parent?.type === 'Map' ? `#${visit.line.index}` : '';
};

const textOf = (each: VisitEvent): string =>
  `${each.event.type} ${each.visit?.name ?? ''} ${placeOf(each)} ${each.event.error ?? ''}`.toLowerCase();

function fillEvent(place: HTMLElement, each: VisitEvent, from: number): void {
  const { event, visit } = each;
  const { id, type, timestamp, error } = event;
  const isExit = type.endsWith('StateExited') && visit !== undefined;
  const failed = /(?:Failed|TimedOut|Aborted)$/.test(type) ? 'failed' : '';
  place.dataset['event'] = String(id);
  place.append(
    element('span', { class: 'number' }, String(id)),
    element('span', { title: type }, element('i', { class: `dot ${isExit ? visit.outcome : failed}` }), type),
    element('span', { title: visit?.name }, visit?.name ?? '', element('small', {}, ` ${placeOf(each)}`)),
    element('span', {}, `+${duration(timestamp - from)}`),
    element(
      'span',
      { class: failed, title: error },
      isExit ? `${SIGNS[visit.outcome]}took ${duration(timestamp - visit.from)}` : (error ?? ''),
    ),
  );
}
