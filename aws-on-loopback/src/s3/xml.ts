/** A document of S3: element names with a text, a number, child elements, or a list of them. */
export interface XmlContent {
  readonly [name: string]: XmlValue | readonly XmlContent[] | undefined;
}
type XmlValue = string | number | boolean | XmlContent;

export function xmlDocument(root: string, content: XmlContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${inner(content)}</${root}>`;
}

function inner(content: XmlContent): string {
  return Object.entries(content)
    .flatMap(([name, value]) => {
      const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
      return values.map(
        each => `<${name}>${typeof each === 'object' ? inner(each) : escaped(each)}</${name}>`,
      );
    })
    .join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPECIAL = /[&<>"\u0000-\u001f\u007f]/g;

function escaped(value: string | number | boolean): string {
  return String(value).replace(SPECIAL, found => `&#${found.charCodeAt(0)};`);
}
