/** A reference to an attribute of a resource or data source: `${aws_lambda_function.plan.arn}`. */
export interface Reference {
  readonly kind: 'resource' | 'data';
  readonly type: string;
  readonly name: string;
  readonly attribute: string;
  /** As written, without `${` and `}`. */
  readonly text: string;
}

/** A Terraform string taken apart: literal text and references, in order. */
export type TemplatePart = string | Reference;

/** What of Terraform's template language isn't a plain reference; the caller knows where the string stands. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const PLAIN_REFERENCE =
  /^(?<data>data\.)?(?<type>[a-z][a-z0-9_]*)\.(?<name>[A-Za-z_][\w-]*)\.(?<attribute>[a-z][a-z0-9_]*)$/;
// The first word of expressions that look like `type.name.attribute` and mean something else.
const NOT_A_TYPE = new Set(['var', 'local', 'module', 'each', 'count', 'path', 'self', 'terraform']);

/**
 * Takes a Terraform string template apart.
 *
 * Only two things are understood: plain references and the escapes `$${` and `%%{`. Everything else that
 * Terraform would evaluate throws a {@link TemplateError}, because a guess would be run as if it were true.
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('$${', at) || text.startsWith('%%{', at)) {
      literal += text.slice(at + 1, at + 3);
      at += 3;
    } else if (text.startsWith('%{', at)) {
      throw new TemplateError(
        `holds the template directive ${excerpt(text, at)}: only plain references are understood; write %%{ for a literal %{`,
      );
    } else if (text.startsWith('${', at)) {
      const end = text.indexOf('}', at);
      if (end < 0) {
        throw new TemplateError(
          `holds ${excerpt(text, at)} without a closing brace; write $\${ for a literal \${`,
        );
      }
      if (literal) parts.push(literal);
      literal = '';
      parts.push(parseReference(text.slice(at + 2, end), text, at));
      at = end + 1;
    } else {
      literal += text[at];
      at += 1;
    }
  }
  if (literal || parts.length === 0) parts.push(literal);
  return parts;
}

function parseReference(expression: string, text: string, at: number): Reference {
  const groups = PLAIN_REFERENCE.exec(expression.trim())?.groups;
  const { type, name, attribute } = groups ?? {};
  if (type === undefined || name === undefined || attribute === undefined || NOT_A_TYPE.has(type)) {
    throw new TemplateError(
      `holds the expression ${excerpt(text, at)}: expected a plain reference, \${type.name.attribute} or ` +
        `\${data.type.name.attribute}; compute the value in the CDKTF app instead, or write $\${ for a literal \${`,
    );
  }
  return {
    kind: groups?.['data'] ? 'data' : 'resource',
    type,
    name,
    attribute,
    text: expression.trim(),
  };
}

/** The expression at `at` for a message: to the end of its nested braces, or 80 characters. */
function excerpt(text: string, at: number): string {
  let depth = 0;
  for (let i = at; i < text.length && i < at + 80; i++) {
    if (text[i] === '{') depth += 1;
    if (text[i] === '}') depth -= 1;
    if (depth === 0 && i > at + 1) return `"${text.slice(at, i + 1)}"`;
  }
  return `"${text.slice(at, at + 80)}"${text.length > at + 80 ? '…' : ''}`;
}
