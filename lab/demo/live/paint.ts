import { styleText } from 'node:util';
import type { Line, Tone } from './draw.ts';

const STYLES: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  plain: 'reset',
  faint: 'gray',
  far: 'cyan',
  soon: 'yellow',
  late: 'red',
  strong: 'bold',
};

/** Makes the text of a line for a terminal. @param colours whether the terminal has colours */
export function paint(line: Line, colours: boolean): string {
  return line
    .map(({ text, tone }) =>
      colours && tone !== 'plain' ? styleText(STYLES[tone], text, { validateStream: false }) : text,
    )
    .join('');
}
