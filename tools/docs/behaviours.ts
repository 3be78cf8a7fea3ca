import { globSync, readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import ts from 'typescript-5.9';

/** The text of docs/contributing/behaviours.md: what the tests of the state machine say of it, file by file. */
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

/** A list item for each test, within one for each group of tests. */
function namesIn(file: string): string[] {
  const lines: string[] = [];
  const visit = (node: ts.Node, indent: string) => {
    const name = nameOf(node);
    if (name !== undefined) lines.push(`${indent}- ${name}`);
    ts.forEachChild(node, child => visit(child, name === undefined ? indent : `${indent}  `));
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest), '');
  return lines;
}

/** The name of a test, or of a group of them. */
function nameOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.arguments;
  if (!name || !ts.isStringLiteralLike(name) || !/^(test|describe)$/.test(calleeOf(node.expression)))
    return undefined;
  return name.text.replaceAll(/%[a-z]|\$\w+/g, '…');
}

/** `test` for `test`, `test.each` and what that returns. */
function calleeOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return calleeOf(node.expression);
  return '';
}
