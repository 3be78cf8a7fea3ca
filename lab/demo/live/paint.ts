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

/** A line as a terminal shows it. @param colours whether it has any */
export function paint(line: Line, colours: boolean): string {
  return line
    .map(({ text, tone }) =>
      colours && tone !== 'plain' ? styleText(STYLES[tone], text, { validateStream: false }) : text,
    )
    .join('');
}
