import { element } from './element.ts';

export interface LazyRow {
  readonly height: number;
  /** Makes the row's element. It is called again whenever the row becomes visible. */
  draw(): HTMLElement;
}

/** Height above and below the visible part for which rows are drawn too. */
const SPARE_PX = 200;

/**
 * A list that has elements only for the rows that are in sight: a history of 25,000 events takes as many elements as one of 50.
 * The Tab key comes to one row only, and goes on behind the list; the arrow keys go from row to row.
 */
export class LazyList {
  readonly container: HTMLElement;
  readonly #space: HTMLElement;
  #rows: readonly LazyRow[] = [];
  /** The top of each row, and the bottom of the last one. */
  #tops: number[] = [0];
  #shown = { from: 0, to: 0 };
  #focused: number | undefined;

  constructor(container: HTMLElement) {
    this.container = container;
    this.#space = element('div', { class: 'rows' });
    container.append(this.#space);
    container.addEventListener('scroll', () => this.#show(), { passive: true });
    container.addEventListener('keydown', event => this.#move(event));
    container.addEventListener('focusin', ({ target }) => {
      this.#focused = this.#indexOf(target as Element);
      this.#leaveOneForTab();
    });
    new ResizeObserver(() => this.#show()).observe(container);
  }

  set(rows: readonly LazyRow[]): void {
    this.#rows = rows;
    this.#tops = [0];
    for (const { height } of rows) this.#tops.push((this.#tops.at(-1) ?? 0) + height);
    this.#space.style.height = `${this.height}px`;
    this.#show(true);
  }

  /** How high all rows are together. */
  get height(): number {
    return this.#tops.at(-1) ?? 0;
  }

  /** Brings a row into sight, and gives it the focus if asked to. */
  reveal(index: number, focus = false): void {
    const { scrollTop, clientHeight } = this.container;
    const top = this.#tops[index] ?? 0;
    const bottom = this.#tops[index + 1] ?? top;
    // The content above the rows stays visible.
    const below = clientHeight - this.#space.offsetTop;
    if (top < scrollTop) this.container.scrollTop = top;
    else if (bottom > scrollTop + below) this.container.scrollTop = bottom - below;
    this.#show();
    if (focus) this.#elementOf(index)?.focus();
  }

  /** The row that had the focus last, or that is chosen, or the first one. What is inside of a row has a stop of its own. */
  #leaveOneForTab(): void {
    const { from, to } = this.#shown;
    const rows = Array.from({ length: to - from }, (_none, index) => {
      const row = this.#elementOf(from + index);
      return row?.hasAttribute('tabindex') ? row : undefined;
    });
    const last = this.#focused === undefined ? undefined : rows[this.#focused - from];
    const one = last ?? rows.find(row => row?.ariaPressed === 'true') ?? rows.find(row => row !== undefined);
    for (const row of rows) if (row !== undefined) row.tabIndex = row === one ? 0 : -1;
  }

  #elementOf(index: number): HTMLElement | undefined {
    return this.#space.children[index - this.#shown.from] as HTMLElement | undefined;
  }

  #show(anew = false): void {
    const { scrollTop, clientHeight } = this.container;
    const from = this.#indexAt(scrollTop - SPARE_PX);
    const to = Math.min(this.#rows.length, this.#indexAt(scrollTop + clientHeight + SPARE_PX) + 1);
    if (!anew && from === this.#shown.from && to === this.#shown.to) return;
    const hadFocus = this.#space.contains(document.activeElement);
    if (hadFocus) this.#focused = this.#indexOf(document.activeElement);
    this.#shown = { from, to };
    this.#space.replaceChildren(
      ...this.#rows.slice(from, to).map((row, index) => this.#place(row, from + index)),
    );
    this.#leaveOneForTab();
    if (hadFocus && this.#focused !== undefined) {
      focusableOf(this.#elementOf(this.#focused))?.focus({ preventScroll: true });
    }
  }

  #place(row: LazyRow, index: number): HTMLElement {
    const made = row.draw();
    made.style.top = `${this.#tops[index]}px`;
    made.style.height = `${row.height}px`;
    made.dataset['index'] = String(index);
    return made;
  }

  #indexOf(inside: Element | null): number | undefined {
    const row = inside?.closest<HTMLElement>('[data-index]');
    return row ? Number(row.dataset['index']) : undefined;
  }

  /** The row at a height, found by bisection. */
  #indexAt(height: number): number {
    let [low, high] = [0, Math.max(0, this.#rows.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#tops[middle] ?? 0) <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key];
    const at = this.#indexOf(event.target as Element);
    if (step === undefined || at === undefined) return;
    event.preventDefault();
    const direction = Math.sign(step);
    let to = Math.min(this.#rows.length - 1, Math.max(0, at + step));
    this.reveal(to, true);
    while (document.activeElement !== this.#elementOf(to) && to + direction in this.#rows) {
      to += direction;
      this.reveal(to, true);
    }
  }
}

/** A row, or what is in it. */
const focusableOf = (row: HTMLElement | undefined): HTMLElement | null | undefined =>
  row?.hasAttribute('tabindex') ? row : row?.querySelector<HTMLElement>('[tabindex]');
