import { globSync, readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';

export function behavioursPage(): string {
  const files = globSync('test/statemachine/*.test.ts').map(file => file.replaceAll(sep, '/'));
  const sections = files
    .sort()
    .map(file => [`## [${basename(file)}](../../${file})`, namesIn(file).join('\n')].join('\n\n'));
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

const HEAD = `# Behaviours

What the state machine does, as the names of its tests say it. They run the real definition on a virtual clock. \`npm run docs\` writes this page; … stands
for each case of a table.`;

/** `test('name'`, `describe('name'`, `test.each(…)('name'`, and the end of a table of several lines: `])('name'`. */
const NAME =
  /^( *)(?:(?:test|describe)\b[^\n]*?|\](?: as const)?\))\(\n? *(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)")/gm;

function namesIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(NAME)].map(([, indent, name = '', quoted = '']) => {
    const text = (name || quoted).replaceAll(/\\(.)/g, '$1').replaceAll(/%[a-z]|\$\w+/g, '…');
    return `${indent}- ${text}`;
  });
}
