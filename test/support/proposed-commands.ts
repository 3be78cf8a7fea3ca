import { readFileSync } from 'node:fs';

/** The code blocks of one language in a document, in their order. */
export function codeBlocks(file: string, language: string): string[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].filter(([, name]) => name === language).map(([, , code = '']) => code);
}

/** The beginnings of what our texts propose to type. */
const BEGINNING =
  /(?<![\w./-])(?:npx precise-ttl|npx node bin\/precise-ttl\.js|npm (?:start|run)|aws(?= [a-z0-9]+ [a-z]+-))(?= |$|`)/gm;

/** Begins what is no part of the command any more. */
const ENDS = new Set(['|', ';', '&', '>', '<', ')', '`', '\n', '#']);

/** The words of a command as a shell takes them, up to where it ends. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1);
      if (end < 0) break;
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (character === '\\') {
      if (text[at + 1] !== '\n') word = (word ?? '') + (text[at + 1] ?? '');
      at += 1;
    } else if (character === '$' && text[at + 1] === '(') {
      at = text.indexOf(')', at);
      word = `${word ?? ''}SUBSTITUTED`;
    } else if (ENDS.has(character) && (character !== '#' || word === undefined)) {
      break;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** All commands in a text, as their words. */
export function commandsIn(text: string): string[][] {
  return [...text.matchAll(BEGINNING)].map(({ index }) => wordsOf(text.slice(index)));
}

/** What a document proposes: in blocks for a shell, without their comments, and alone between backticks. */
export function commandsOfDocument(markdown: string): string[][] {
  const fences = [...markdown.matchAll(/^ *```(?:sh|bash|console|yaml)\n(.*?)^ *```$/gms)].map(
    ([, code = '']) => code.replaceAll(/(^|\s)# .*$/gm, '$1'),
  );
  const prose = markdown.replaceAll(/^ *```\w*\n.*?^ *```$/gms, '');
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
  return [...fences, ...inline].flatMap(commandsIn);
}
