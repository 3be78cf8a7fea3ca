import { clearScreenDown, cursorTo } from 'node:readline';
import type { Status } from '../../operate/status/status.ts';
import { printable, shownOn } from '../print.ts';
import { describeBriefly, describeStatus } from './text.ts';

/** The output on which a look is shown. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows a look: at a terminal it replaces the previous one, elsewhere it prints one line for each table. */
export function showLook(status: Status, screen: Screen): void {
  if (!screen.isTTY) {
    const now = new Date(status.at);
    for (const table of status.tables) screen.write(`${printable(describeBriefly(table, now))}\n`);
    return;
  }
  const stream = screen as unknown as NodeJS.WritableStream;
  cursorTo(stream, 0, 0);
  clearScreenDown(stream);
  screen.write(`${shownOn(screen, describeStatus(status))}\n`);
}
