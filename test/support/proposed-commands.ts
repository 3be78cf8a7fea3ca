import { readFileSync } from 'node:fs';

/** The code blocks of one language in a document, in their order. */
export function codeBlocks(file: string, language: string): string[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].filter(([, name]) => name === language).map(([, , code = '']) => code);
}

/** The beginnings of what our texts propose to type. */
const BEGINNING =
  /(?<![\w./-])(?:npx precise-ttl|npx node bin\/precise-ttl\.js|npm (?:start|run)|aws(?= [a-z0-9]+ [a-z]+-))(?= |$|`)/gm;

/** Up to what is no part of the command any more: an operator, a comment, the end of the line or of the code. */
const COMMAND = /^(?:\\[\s\S]|'[^']*'|"[^"]*"|\$\([^)]*\)|(?<!\s)#|[^'"\\|;&<>)`\n#])*/;
const WORD = /(?:\\.|'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'"\\])+/g;

/** The words of a command as a shell takes them, up to where it ends. */
export function wordsOf(text: string): string[] {
  const [command = ''] = COMMAND.exec(text) ?? [];
  const words = command.replaceAll('\\\n', ' ').match(WORD) ?? [];
  return words.map(word => word.replaceAll(/\\(.)|'([^']*)'|"([^"]*)"/g, '$1$2$3'));
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
