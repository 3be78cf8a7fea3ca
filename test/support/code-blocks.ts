import { readFileSync } from 'node:fs';

/** The code blocks of one language in a document, in their order. */
export function codeBlocks(file: string, language: string): string[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].filter(([, name]) => name === language).map(([, , code = '']) => code);
}
