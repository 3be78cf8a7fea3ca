/**
 * A placeholder for `\${`, within which CDKTF would remove the braces of tokens that it finds. {@link withOpenings} replaces it in all
 * synthesized output with expressions.
 */
const OPENING = '\uE000{';

/** Restores the expressions in synthesized JSON. */
export function withOpenings(json: string): string {
  return json.replaceAll(OPENING, '${');
}

/**
 * A value that only Terraform knows, like a variable of a module: its expression. It can replace any known value; a text into which it is
 * inserted becomes a template. A reference to another resource is not such a value: it is known to exist.
 */
export class Expression {
  readonly hcl: string;
  /** Required by CDKTF. */
  readonly creationStack: string[] = [];

  constructor(hcl: string) {
    this.hcl = hcl;
  }

  toString(): string {
    return `${OPENING}${this.hcl.replaceAll(/\$\{(?!TfToken\[)/g, OPENING)}}`;
  }

  toJSON(): string {
    return this.toString();
  }

  resolve(): string {
    return this.toString();
  }
}

/** Makes an expression, typed as its future value. */
export function expression<Type>(hcl: string): Type {
  return new Expression(hcl) as Type;
}

/** Whether a value is an expression, or a text that contains one. */
export function isOpen(value: unknown): boolean {
  return value instanceof Expression || (typeof value === 'string' && value.includes(OPENING));
}

/** Computes a value now if all operands are known; otherwise makes an expression for Terraform. */
function either<Type>(
  operands: readonly unknown[],
  known: () => Type,
  open: (...terms: string[]) => string,
): Type {
  return operands.some(isOpen) ? expression<Type>(open(...operands.map(each => hcl(each)))) : known();
}

/** Whether a value is set. */
export function given(value: unknown): boolean {
  return either(
    [value],
    () => value !== undefined,
    term => `${term} != null`,
  );
}

export function equal(one: unknown, other: unknown): boolean {
  return either(
    [one, other],
    () => one === other,
    (...terms) => terms.join(' == '),
  );
}

export function less(one: number, other: number): boolean {
  return either(
    [one, other],
    () => one < other,
    (...terms) => terms.join(' < '),
  );
}

export function not(condition: boolean): boolean {
  return either(
    [condition],
    () => !condition,
    term => (/^\w+\(.*\)$/s.test(term) ? `!${term}` : `!(${unbracketed(term)})`),
  );
}

export function both(one: boolean, other: boolean): boolean {
  if (one === true) return other;
  if (other === true) return one;
  return either(
    [one, other],
    () => one && other,
    (...terms) => terms.map(bracketed).join(' && '),
  );
}

/** Whether at least one of two conditions is true. */
export function anyOf(one: boolean, other: boolean): boolean {
  if (one === false) return other;
  if (other === false) return one;
  return either(
    [one, other],
    () => one || other,
    (...terms) => terms.map(bracketed).join(' || '),
  );
}

/** A value that is left out. */
export const NONE = undefined as never;

export function when<Type>(condition: boolean, yes: Type, no: Type): Type {
  if (!isOpen(condition)) return condition ? yes : no;
  const [term, ...branches] = [condition, yes, no].map(each => hcl(each));
  const line = `(${term} ? ${branches.join(' : ')})`;
  return expression(fits(line) ? line : `(\n${indented(`${term}\n? ${branches.join('\n: ')}`)}\n)`);
}

/** Returns the value, or the other one if it is not set. */
export function or<Type>(value: Type | undefined, other: Type): Type {
  return isOpen(value) ? when(given(value), value as Type, other) : (value ?? other);
}

/** A value as JSON. In a written module it becomes `jsonencode`. */
export function jsonText(value: unknown): string {
  return isOpen(value) ? expression(`jsonencode(${hcl(value)})`) : JSON.stringify(value);
}

/** A list of the value; empty if it is not set. */
export function present<Type>(value: Type | undefined): readonly Type[] {
  return either(
    [value],
    () => (value === undefined ? [] : [value]),
    term => `${term}[*]`,
  );
}

/** The fields that are set. */
export function withoutNone<Value>(fields: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return either(
    Object.values(fields),
    () => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    () => `{\nfor name, value in ${hcl(fields)} : name => value if value != null\n}`,
  );
}

/** The fields of both objects; those of the second win. */
export function merged<Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return either(
    [one, other],
    () => ({ ...one, ...other }),
    (first, second) => `merge(${/^merge\((.*)\)$/s.exec(first ?? '')?.[1] ?? first}, ${second})`,
  );
}

export function startsWith(text: string, start: string): boolean {
  return either(
    [text],
    () => text.startsWith(start),
    term => call('startswith', term, quoted(start)),
  );
}

export function endsWith(text: string, end: string): boolean {
  return either(
    [text],
    () => text.endsWith(end),
    term => call('endswith', term, quoted(end)),
  );
}

/** Replaces each occurrence of a part of a text. */
export function replaced(text: string, part: string, other: string): string {
  return either(
    [text],
    () => text.replaceAll(part, other),
    term => call('replace', term, hcl(part), hcl(other)),
  );
}

/** The part of a text with this index, between separators; '' if there is none. */
export function pieceOf(text: string, separator: string, index: number): string {
  return either(
    [text],
    () => text.split(separator)[index] ?? '',
    term => `${call('split', hcl(separator), term)}[${index}]`,
  );
}

/** Shortens a text to AWS's limit. A known text then ends with `…`; in an expression the rest is cut off without a sign. */
export function cut(text: string, most: number): string {
  return either(
    [text],
    () => (text.length <= most ? text : `${text.slice(0, most - 1)}…`),
    term => call('substr', term, '0', String(most)),
  );
}

export function sum(one: number, other: number): number {
  return either(
    [one, other],
    () => one + other,
    (...terms) => `(${terms.join(' + ')})`,
  );
}

export function product(one: number, other: number): number {
  return either(
    [one, other],
    () => one * other,
    (...terms) => `(${terms.join(' * ')})`,
  );
}

/** A value as text within an expression; it may contain references. */
export function hcl(value: unknown): string {
  if (value instanceof Expression) return value.hcl;
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') {
    const text = withOpenings(value);
    return wholeReference(text, value.startsWith(OPENING)) ?? inLines(text);
  }
  if (Array.isArray(value))
    return enclosed(
      '[',
      value.map(each => hcl(each)),
      ']',
      ',',
    );
  if (typeof value === 'object') {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    return enclosed(
      '{',
      fields.map(([name, each]) => `${key(name)} = ${hcl(each)}`),
      '}',
      '',
    );
  }
  return String(value);
}

/** Most columns of a line without its indentation. */
const WIDTH = 96;

/** Longest text that is not split into lines. */
const MAX_TEXT_LENGTH = 108;

const fits = (line: string) => line.length <= WIDTH && !line.includes('\n');

export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

function enclosed(open: string, items: readonly string[], close: string, separator: string): string {
  if (items.length === 0) return `${open}${close}`;
  const inside = open === '{' ? ` ${items.join(', ')} ` : items.join(', ');
  const line = `${open}${inside}${close}`;
  if (fits(line)) return line;
  return `${open}\n${indented(items.map(item => `${item}${separator}`).join('\n'))}\n${close}`;
}

function call(name: string, ...terms: readonly string[]): string {
  return `${name}(${terms.map(unbracketed).join(', ')})`;
}

const bracketed = (term: string) => (/^\(.*\)$/s.test(term) || !term.includes(' ') ? term : `(${term})`);

/** Removes brackets around a whole term. */
function unbracketed(term: string): string {
  if (!term.startsWith('(')) return term;
  let depth = 0;
  for (const [index, character] of [...term].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return index === term.length - 1 ? term.slice(1, -1).trim() : term;
  }
  return term;
}

const key = (name: string) => (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) ? name : quoted(name));

/** The expression in a text that contains nothing else. CDKTF finds its tokens only in braces, which tokens in an expression have. */
function wholeReference(text: string, isExpression: boolean): string | undefined {
  const [only, ...others] = pieces(text);
  if (only === undefined || others.length > 0 || !only.isReference) return undefined;
  if (!isExpression && only.text.includes('TfToken[')) return undefined;
  return only.text.slice(2, -1);
}

/** A quoted text; a long one is split into lines, which are joined. */
function inLines(text: string): string {
  const words = pieces(text).flatMap(piece => (piece.isReference ? [piece.text] : piece.text.split(/(?= )/)));
  const lines: string[] = [''];
  for (const word of words) {
    const last = lines.at(-1) as string;
    if (word.startsWith(' ') && last.length + word.length > WIDTH) lines.push(word.slice(1));
    else lines[lines.length - 1] = last + word;
  }
  if (text.length <= MAX_TEXT_LENGTH || lines.length === 1) return quoted(text);
  return `join(" ", ${enclosed('[', lines.map(quoted), ']', ',')})`;
}

/** A quoted text with its references unchanged. */
export function quoted(text: string): string {
  return `"${pieces(text)
    .map(piece => (piece.isReference ? piece.text : escapes(piece.text)))
    .join('')}"`;
}

/** Replaces two of JSON's escapes that Terraform lacks. */
function escapes(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\./g, each => ({ '\\b': '\\u0008', '\\f': '\\u000c' })[each] ?? each);
}

interface Piece {
  readonly text: string;
  readonly isReference: boolean;
}

/** Splits a template into its references and the texts between them. */
function pieces(template: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  let at = 0;
  while (at < template.length) {
    if (template.startsWith('$${', at)) {
      at += 3;
    } else if (template.startsWith('${', at)) {
      if (at > from) found.push({ text: template.slice(from, at), isReference: false });
      from = at;
      at = endOfReference(template, at + 2);
      found.push({ text: template.slice(from, at), isReference: true });
      from = at;
    } else {
      at += 1;
    }
  }
  if (from < template.length) found.push({ text: template.slice(from), isReference: false });
  return found;
}

/** The position after the brace that closes the one open at `from`. */
function endOfReference(template: string, from: number): number {
  let depth = 1;
  let isQuoted = false;
  for (let at = from; at < template.length; at += 1) {
    const character = template[at];
    if (isQuoted && character === '\\') at += 1;
    else if (isQuoted && character === '$' && template[at + 1] === '{')
      at = endOfReference(template, at + 2) - 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '{') depth += 1;
    else if (!isQuoted && character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new TypeError(`expected a reference that is closed, got ${template}`);
}
