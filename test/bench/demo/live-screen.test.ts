import { LiveScreen } from '../../../bench/demo/live-screen.ts';

function output() {
  const written: string[] = [];
  return { written, isTTY: true, columns: 20, write: (text: string) => written.push(text) };
}

const visible = (written: readonly string[]) => written.join('').replaceAll('\u001b[', 'ESC');

/** The screen of a terminal after all that was written to it: moves of the cursor, and what is cleared. */
function screenOf(written: readonly string[]): string[] {
  const lines = [''];
  let [row, column] = [0, 0];
  for (const [text, move] of visible(written).matchAll(/ESC([?\d]*[A-Za-z])|[\s\S]/gu)) {
    const line = lines[row] ?? '';
    if (text === '\r') column = 0;
    else if (text === '\n') [row, column] = [row + 1, 0];
    else if (move?.endsWith('A')) row -= Number.parseInt(move, 10);
    else if (move === 'K') lines[row] = line.slice(0, column);
    else if (move === 'J') lines.splice(row, lines.length, line.slice(0, column));
    else if (move === undefined) {
      lines[row] = line.slice(0, column).padEnd(column) + text + line.slice(column + 1);
      column += 1;
    }
    expect(row).toBeGreaterThanOrEqual(0);
  }
  return lines.map(each => each.trimEnd());
}

test('redraws a block in place, below what is said, and leaves nothing of it', () => {
  const terminal = output();
  const live = new LiveScreen(terminal);
  live.showBlock(['one', 'two', 'three']);
  live.showBlock(['four', 'five']);
  expect(screenOf(terminal.written)).toEqual(['four', 'five']);
  live.say('above');
  expect(screenOf(terminal.written)).toEqual(['above', 'four', 'five']);
  live.show('a line');
  expect(screenOf(terminal.written)).toEqual(['above', 'a line']);
  live.say('more');
  expect(screenOf(terminal.written)).toEqual(['above', 'more']);
  live.showBlock(['six', 'seven']);
  live.end();
  live.end();
  live.say('below\u202e');
  expect(screenOf(terminal.written)).toEqual(['above', 'more', 'below\\u202e']);
});

test('hides the cursor while a block is shown, and shows it at the end, also of the process', () => {
  const before = process.listeners('exit');
  const terminal = output();
  const live = new LiveScreen(terminal);
  const cursor = () => visible(terminal.written).match(/ESC\?25[lh]/g) ?? [];
  live.show('a line');
  expect(cursor()).toEqual([]);
  live.showBlock(['one', 'two']);
  live.showBlock(['one', 'two']);
  expect(cursor()).toEqual(['ESC?25l']);
  const [atExit] = process.listeners('exit').filter(each => !before.includes(each));
  atExit?.(0);
  expect(cursor()).toEqual(['ESC?25l', 'ESC?25h']);
  live.end();
  expect(process.listeners('exit')).toEqual(before);
  expect(cursor()).toHaveLength(2);
});

test('goes up by the lines that a terminal shows which became narrower', () => {
  const terminal = { ...output(), columns: 20 };
  const live = new LiveScreen(terminal);
  live.showBlock(['x'.repeat(19), '\u001b[31mred\u001b[39m']);
  terminal.columns = 10;
  live.showBlock(['y']);
  expect(visible(terminal.written.slice(-1))).toMatch(/^\rESC2Ay/);
});

test('shows the last lines of a block where the terminal is lower than it', () => {
  const terminal = { ...output(), rows: 3 };
  new LiveScreen(terminal).showBlock(['one', 'two', 'three']);
  expect(screenOf(terminal.written)).toEqual(['two', 'three']);
});
