import type { Outcome } from '../model/history.ts';
import { element } from './element.ts';
import { count, OUTCOMES } from './text.ts';

/** An item that is drawn as a cell: an iteration, or an execution of a Map Run. */
export interface CellItem {
  readonly outcome: Outcome;
}

/** Most cells in a strip; if there are more items, several share a cell. */
const MAX_CELLS = 2_000;
const CELL_PX = 12;
const INDENT_PX = 14;

/** Height of the strip of a Map. */
export function heightOfCells(items: number, depth: number, width: number): number {
  const across = Math.max(4, Math.floor((width - 28 - depth * INDENT_PX) / CELL_PX));
  return Math.ceil(cellsFor(items).cells / across) * CELL_PX + 12;
}

function cellsFor(items: number): { cells: number; each: number } {
  const each = Math.max(1, Math.ceil(items / MAX_CELLS));
  return { cells: Math.ceil(items / each), each };
}

/** The outcomes in the order of their weight: a cell has the colour of the first one that any of its items has. */
const BY_WEIGHT: readonly Outcome[] = ['failed', 'running', 'caught', 'cutOff', 'succeeded'];

export interface CellsOptions {
  /** Items without an outcome have not begun. */
  readonly items: readonly (CellItem | undefined)[];
  readonly depth: number;
  readonly chosen: number | undefined;
  /** Name of the items: `iteration` or `execution`. */
  readonly what: string;
  readonly choose: (index: number) => void;
}

/** The items of a Map as a strip of cells. The arrow keys move along it, and Enter opens an item. */
export function cellStrip({ items, depth, chosen, what, choose }: CellsOptions): HTMLElement {
  const { cells, each } = cellsFor(items.length);
  const made = Array.from({ length: cells }, (_none, cell) => {
    const own = items.slice(cell * each, (cell + 1) * each);
    const outcome = BY_WEIGHT.find(one => own.some(item => item?.outcome === one));
    const isChosen = chosen !== undefined && Math.floor(chosen / each) === cell;
    return element('i', {
      class: `cell ${outcome ?? 'unvisited'}${isChosen ? ' chosen' : ''}`,
      ...{ role: 'option', 'aria-selected': String(isChosen), 'data-cell': cell * each },
      'aria-label': `${what} ${cell * each}: ${outcome === undefined ? 'not begun' : OUTCOMES[outcome]}`,
      title: `#${cell * each}${each > 1 ? ` to #${Math.min(items.length, (cell + 1) * each) - 1}` : ''}: ${
        outcome === undefined ? 'not begun' : OUTCOMES[outcome]
      }`,
    });
  });
  const strip = element(
    'div',
    {
      ...{ class: 'cells', role: 'listbox', tabindex: '0', 'aria-label': summaryOf(items, what) },
      onclick: event => {
        const cell = (event.target as Element).closest<HTMLElement>('[data-cell]');
        if (cell) choose(Number(cell.dataset['cell']));
      },
      onkeydown: event => {
        const step = { ArrowRight: each, ArrowLeft: -each }[(event as KeyboardEvent).key];
        if (step === undefined) return;
        event.preventDefault();
        choose(Math.min(items.length - 1, Math.max(0, (chosen ?? -each) + step)));
      },
    },
    ...made,
  );
  strip.style.paddingLeft = `${14 + depth * INDENT_PX}px`;
  return strip;
}

/** The outcomes of items in words: `1,000 iterations: 998 succeeded, 2 failed`. */
export function summaryOf(items: readonly (CellItem | undefined)[], what: string): string {
  const outcomes = [...BY_WEIGHT].reverse().flatMap(outcome => {
    const number = items.filter(item => item?.outcome === outcome).length;
    return number === 0 ? [] : [`${number.toLocaleString('en-US')} ${OUTCOMES[outcome]}`];
  });
  return `${count(items.length, what)}${outcomes.length === 0 ? '' : `: ${outcomes.join(', ')}`}`;
}
