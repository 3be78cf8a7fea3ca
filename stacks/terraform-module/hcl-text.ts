import { expression, hcl, indented } from '../../config/values.ts';

/** A block of Terraform's JSON. */
export type Block = Readonly<Record<string, unknown>>;

/** Arguments that are objects but not blocks. */
const MAPS = ['tags', 'variables', 'dimensions'];

/** Arguments whose values are addresses. */
const ADDRESSES = ['depends_on', 'ignore_changes'];

/** A block with its labels, without CDKTF's metadata. */
export function block(labels: string, content: Block): string {
  const attributes: string[] = [];
  const blocks: string[] = [];
  const entries = Object.entries(content).filter(([name, value]) => name !== '//' && value !== undefined);
  // `count` and `for_each` come first, as in Terraform's style guide.
  entries.sort(([one], [other]) => Number(isMeta(other)) - Number(isMeta(one)));
  for (const [name, value] of entries) {
    const inner = innerBlocks(name, value);
    if (inner === undefined) attributes.push(`${name} = ${attribute(name, value)}`);
    else blocks.push(...inner.map(each => block(name, each)));
  }
  const body = [attributes.join('\n'), ...blocks].filter(part => part !== '').join('\n\n');
  return body === '' ? `${labels} {}` : `${labels} {\n${indented(body)}\n}`;
}

const isMeta = (name: string) => name === 'count' || name === 'for_each';

function innerBlocks(name: string, value: unknown): Block[] | undefined {
  if (MAPS.includes(name) || typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return [value as Block];
  return value.length > 0 && typeof value[0] === 'object' ? value : undefined;
}

function attribute(name: string, value: unknown): string {
  if (ADDRESSES.includes(name)) return `[${(value as readonly string[]).join(', ')}]`;
  return typeof value === 'string' ? unescaped(hcl(encoded(value))) : hcl(value);
}

/** Writes a text that contains JSON as `jsonencode` of an object. */
function encoded(text: string): string {
  if (!text.startsWith('{')) return text;
  return expression(`jsonencode(${hcl(JSON.parse(text))})`);
}

/** Undoes the escaping by `jsonencode` of the characters `<` and `>`, which Scheduler and Step Functions must receive unchanged. */
function unescaped(term: string): string {
  if (!term.startsWith('jsonencode(') || !/"[^"\n]*[<>][^"\n]*"/.test(term)) return term;
  return `replace(replace(${term}, "\\\\u003c", "<"), "\\\\u003e", ">")`;
}

/**
 * Indents lines: a line that leaves brackets open indents the following lines by one step, whatever their number; a line that closes more
 * removes steps.
 */
function reindented(lines: readonly string[]): string[] {
  const steps: number[] = [];
  const within: string[] = [];
  return lines.map(line => {
    const net = netBrackets(line, within);
    if (net > 0) steps.push(net);
    for (let closed = -net; closed > 0 && steps.length > 0; ) {
      const last = steps.pop() as number;
      if (closed < last) steps.push(last - closed);
      closed -= last;
    }
    const text = line.trim();
    return text === '' ? '' : `${'  '.repeat(net > 0 ? steps.length - 1 : steps.length)}${text}`;
  });
}

/** Number of brackets that a line opens minus those that it closes. @param within open quotes and templates; it is modified */
function netBrackets(line: string, within: string[]): number {
  let net = 0;
  if (line.trim().startsWith('#')) return 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (within.at(-1) === '"') {
      if (character === '\\' || line.startsWith('$${', at)) at += 1;
      else if (character === '"') within.pop();
      else if (line.startsWith('${', at)) {
        within.push('{');
        net += 1;
        at += 1;
      }
    } else if (character === '"') within.push('"');
    else if ('([{'.includes(character)) {
      net += 1;
      if (within.length > 0) within.push(character);
    } else if (')]}'.includes(character)) {
      net -= 1;
      if (within.length > 0) within.pop();
    }
  }
  return net;
}

/** Formats like `terraform fmt`: equals signs of consecutive lines are aligned. */
export function formatted(text: string): string {
  const lines = reindented(text.replaceAll(/"\$\{([A-Za-z_][\w.[\]*]*)\}"/g, '$1').split('\n'));
  const result: string[] = [];
  let group: [indent: string, name: string, value: string][] = [];
  const close = () => {
    const width = Math.max(...group.map(([, name]) => name.length));
    result.push(...group.map(([indent, name, value]) => `${indent}${name.padEnd(width)} = ${value}`));
    group = [];
  };
  for (const line of lines) {
    const [, indent = '', name, value = ''] = /^(\s*)([A-Za-z_][\w-]*) = (.*)$/.exec(line) ?? [];
    const isSingle = name !== undefined && !/[[({]$/.test(value);
    if (group.length > 0 && (!isSingle || group[0]?.[0] !== indent)) close();
    if (isSingle && name !== undefined) group.push([indent, name, value]);
    else result.push(line);
  }
  close();
  return `${result.join('\n').trim()}\n`;
}
