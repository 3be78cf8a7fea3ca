import type { Outcome, Segment } from '../model/history.ts';
import { element } from './element.ts';

/** A duration in its shortest clear form. */
export function duration(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  if (ms < 3_600_000) return inTwo(ms, [60_000, 'min'], [1_000, 's']);
  if (ms < 86_400_000) return inTwo(ms, [3_600_000, 'h'], [60_000, 'min']);
  return inTwo(ms, [86_400_000, 'd'], [3_600_000, 'h']);
}

type Unit = readonly [ms: number, name: string];

/** `2 min 5 s`, `2 min`. */
function inTwo(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** A moment in UTC, as commands and logs print it. */
export const moment = (epochMs: number): string =>
  `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The same in a list: without the date of today, and without the year. */
export function shortMoment(epochMs: number): string {
  const text = moment(epochMs);
  return text.slice(0, 10) === moment(Date.now()).slice(0, 10) ? text.slice(11) : text.slice(5);
}

export const count = (number: number, one: string, more = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : more}`;

export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  caught: 'failed, caught',
  failed: 'failed',
  cutOff: 'cut off',
};

/** A sign beside the colour of an outcome, for those who cannot tell red from green. */
export const SIGNS: Readonly<Record<Outcome, string>> = {
  running: '',
  succeeded: '',
  caught: '! ',
  failed: '✗ ',
  cutOff: '– ',
};

export const SEGMENTS: Readonly<Record<Segment['kind'], string>> = {
  attempt: 'attempt',
  retry: 'pause before the next attempt',
  wait: 'waiting',
};

/** JSON text with line breaks. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

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
