// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

/** Something in a synthesized text that cannot be written as a Terraform template. A fault of this project. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * A template as an expression: of `${var.x}` what is inside, of any other text the text in quotes.
 * @throws TemplateError for a text that would have to be escaped, outside of its expressions
 */
export function asExpression(template: string): string {
  const [only, ...others] = pieces(template);
  if (only?.isExpression && others.length === 0) return only.text.slice(2, -1);
  const literal = pieces(template).filter(({ isExpression }) => !isExpression);
  const odd = literal.find(({ text }) => /["\\\n]/.test(text));
  if (odd) throw new TemplateError(`${JSON.stringify(odd.text)} would have to be escaped.`);
  return `"${template}"`;
}

/** The one template where the condition holds, else the other; what both begin and end with stands outside. */
export function either(condition: string, holds: string, fails: string): string {
  const ours = words(holds);
  const others = words(fails);
  const shorter = Math.min(ours.length, others.length);
  let before = 0;
  while (before < shorter && ours[before] === others[before]) before += 1;
  let after = 0;
  while (after < shorter - before && ours.at(-1 - after) === others.at(-1 - after)) after += 1;
  const middle = (all: readonly string[]) => asExpression(all.slice(before, all.length - after).join(''));
  return [
    ...ours.slice(0, before),
    `\${${condition} ? ${middle(ours)} : ${middle(others)}}`,
    ...ours.slice(ours.length - after),
  ].join('');
}

interface Piece {
  readonly text: string;
  readonly isExpression: boolean;
}

/** Literal text and expressions, in turn. An escaped `$${` is literal. */
function pieces(template: string): Piece[] {
  const found: Piece[] = [];
  let literal = '';
  for (let at = 0; at < template.length; ) {
    const three = template.slice(at, at + 3);
    if (three === '$${' || three === '%%{') {
      literal += three;
      at += 3;
    } else if (template.startsWith('${', at)) {
      const end = endOfExpression(template, at + 2);
      if (literal) found.push({ text: literal, isExpression: false });
      literal = '';
      found.push({ text: template.slice(at, end), isExpression: true });
      at = end;
    } else {
      literal += template[at];
      at += 1;
    }
  }
  if (literal) found.push({ text: literal, isExpression: false });
  return found;
}

/** Behind the brace that ends the expression which begins at `from`: braces and quoted templates in it are balanced. */
function endOfExpression(template: string, from: number): number {
  let depth = 1;
  for (let at = from; at < template.length; at += 1) {
    const character = template[at];
    if (character === '"') at = endOfQuoted(template, at + 1);
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new TemplateError(`${JSON.stringify(template)} has an expression without an end.`);
}

/** At the quote that ends the text which begins at `from`. */
function endOfQuoted(template: string, from: number): number {
  for (let at = from; at < template.length; at += 1) {
    if (template[at] === '\\') at += 1;
    else if (template[at] === '"') return at;
    else if (template.startsWith('${', at) && template[at - 1] !== '$')
      at = endOfExpression(template, at + 2) - 1;
  }
  throw new TemplateError(`${JSON.stringify(template)} has a text without an end.`);
}

/** Words, what is between them, and expressions as a whole. */
function words(template: string): string[] {
  return pieces(template).flatMap(({ text, isExpression }) =>
    isExpression ? [text] : (text.match(/\w+|\W/g) ?? []),
  );
}
