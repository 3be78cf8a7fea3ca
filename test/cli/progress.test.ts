import { Progress } from '../../cli/print.ts';

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
}

test('overwrites one line on a terminal, never wider than it', () => {
  const terminal = output(true);
  const progress = new Progress(terminal);
  progress.show('a line that is far too long for it');
  progress.show('second');
  progress.say('above\u202e');
  progress.show('third');
  progress.end();
  const text = terminal.written.join('');
  expect(text).toContain('a line that is …');
  expect(text).not.toContain('far');
  expect(text).toMatch(/second.*above\\u202e\n.*third/s);
  expect(text.match(/\n/g)).toHaveLength(1);
});

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
  const terminal = output(true);
  const progress = new Progress(terminal);
  progress.showBlock(['one', 'two', 'three']);
  progress.showBlock(['four', 'five']);
  expect(screenOf(terminal.written)).toEqual(['four', 'five']);
  progress.say('above');
  expect(screenOf(terminal.written)).toEqual(['above', 'four', 'five']);
  progress.show('a line');
  expect(screenOf(terminal.written)).toEqual(['above', 'a line']);
  progress.showBlock(['six', 'seven']);
  progress.end();
  progress.end();
  progress.say('below');
  expect(screenOf(terminal.written)).toEqual(['above', 'below']);
});

test('hides the cursor while a block is shown, and shows it at the end, also of the process', () => {
  const before = process.listeners('exit');
  const terminal = output(true);
  const progress = new Progress(terminal);
  const cursor = () => visible(terminal.written).match(/ESC\?25[lh]/g) ?? [];
  progress.show('a line');
  expect(cursor()).toEqual([]);
  progress.showBlock(['one', 'two']);
  progress.showBlock(['one', 'two']);
  expect(cursor()).toEqual(['ESC?25l']);
  const [atExit] = process.listeners('exit').filter(each => !before.includes(each));
  atExit?.(0);
  expect(cursor()).toEqual(['ESC?25l', 'ESC?25h']);
  progress.end();
  expect(process.listeners('exit')).toEqual(before);
  expect(cursor()).toHaveLength(2);
});

test('goes up by the lines that a terminal shows which became narrower', () => {
  const terminal = { ...output(true), columns: 20 };
  const progress = new Progress(terminal);
  progress.showBlock(['x'.repeat(19), '\u001b[31mred\u001b[39m']);
  terminal.columns = 10;
  progress.showBlock(['y']);
  expect(visible(terminal.written.slice(-1))).toMatch(/^\rESC2Ay/);
});

test('shows the last lines of a block where the terminal is lower than it', () => {
  const terminal = { ...output(true), rows: 3 };
  new Progress(terminal).showBlock(['one', 'two', 'three']);
  expect(screenOf(terminal.written)).toEqual(['two', 'three']);
});

test('writes a line after two seconds and every ten elsewhere', () => {
  const file = output(false);
  let now = 0;
  const progress = new Progress(file, () => now);
  for (; now <= 25_000; now += 250) progress.show(`at ${now}`);
  expect(file.written).toEqual(['at 2000\n', 'at 12000\n', 'at 22000\n']);
});
