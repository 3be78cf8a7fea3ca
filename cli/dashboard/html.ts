/** HTML text: {@link html} inserts this text without escaping it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | false | readonly Part[];

/** Makes HTML from a template. Each value is escaped, except a value of {@link Html}: so no data is parsed as HTML. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((made, text, index) => made + textOf(parts[index - 1] ?? null) + text));
}

function textOf(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
