import { element } from './element.ts';

export interface LazyListOptions<Item> {
  readonly label: string;
  readonly itemPx: number;
  readonly fill: (place: HTMLElement, item: Item) => void;
  readonly choose: (item: Item) => void;
}

/** Items within this distance above and below the visible part are drawn, too: a user who scrolls sees no gap. */
const SPARE_PX = 200;
const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 },
  ...{ Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
};

/** A list that has HTML elements only for the visible items and their neighbours, because a history can have 25,000 events. */
export class LazyList<Item> {
  readonly element: HTMLElement;
  readonly #options: LazyListOptions<Item>;
  readonly #space = element('div', { class: 'items' });
  #items: readonly Item[] = [];
  #chosen = -1;
  #shown = '';

  constructor(options: LazyListOptions<Item>) {
    this.#options = options;
    const { label } = options;
    this.element = element('div', { class: 'list', role: 'listbox', tabindex: '0', 'aria-label': label });
    this.element.append(this.#space);
    this.element.addEventListener('scroll', () => this.#show(), { passive: true });
    this.element.addEventListener('keydown', event => this.#move(event));
    this.element.addEventListener('click', ({ target }) => {
      const item = (target as Element).closest<HTMLElement>('[data-index]');
      if (item !== null) this.#choose(Number(item.dataset['index']));
    });
    new ResizeObserver(() => this.#show()).observe(this.element);
  }

  /** @param chosen the item to mark; no item is marked if `items` does not contain `chosen` */
  set(items: readonly Item[], chosen: Item | undefined): void {
    this.#items = items;
    this.#chosen = chosen === undefined ? -1 : items.indexOf(chosen);
    this.#space.style.height = `${items.length * this.#options.itemPx}px`;
    this.#show(true);
  }

  reveal(): void {
    const { scrollTop, clientHeight } = this.element;
    const top = this.#chosen * this.#options.itemPx;
    const isInSight = top >= scrollTop && top + this.#options.itemPx <= scrollTop + clientHeight;
    if (this.#chosen >= 0 && !isInSight) this.element.scrollTop = top - clientHeight / 2;
    this.#show();
  }

  #show(anew = false): void {
    const { itemPx, fill, label } = this.#options;
    const { scrollTop, clientHeight } = this.element;
    const from = Math.max(0, Math.floor((scrollTop - SPARE_PX) / itemPx));
    const to = Math.min(this.#items.length, Math.ceil((scrollTop + clientHeight + SPARE_PX) / itemPx));
    const shown = `${from} ${to}`;
    if (!anew && shown === this.#shown) return;
    this.#shown = shown;
    const made = this.#items.slice(from, to).map((item, index) => {
      const at = from + index;
      const isChosen = at === this.#chosen;
      const place = element('div', { class: 'item', role: 'option', id: `${label} ${at}`, 'data-index': at });
      place.setAttribute('aria-selected', String(isChosen));
      place.style.top = `${at * itemPx}px`;
      place.style.height = `${itemPx}px`;
      fill(place, item);
      return place;
    });
    this.#space.replaceChildren(...made);
    this.element.setAttribute('aria-activedescendant', `${label} ${this.#chosen}`);
  }

  #move(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (step === undefined || this.#items.length === 0) return;
    event.preventDefault();
    this.#choose(Math.min(this.#items.length - 1, Math.max(0, this.#chosen + step)));
    this.reveal();
  }

  #choose(index: number): void {
    const item = this.#items[index];
    if (item === undefined) return;
    this.#chosen = index;
    this.#options.choose(item);
    this.#show(true);
  }
}
