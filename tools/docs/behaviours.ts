import { globSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { type CallExpression, type Expression, type Import, parseFileSync, type Super } from '@swc/core';

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
  const visit = (node: unknown, indent: string) => {
    if (typeof node !== 'object' || node === null) return;
    const name = nameOf(node as Partial<CallExpression>);
    if (name !== undefined) lines.push(`${indent}- ${name}`);
    for (const child of Object.values(node)) visit(child, name === undefined ? indent : `${indent}  `);
  };
  visit(parseFileSync(file, { syntax: 'typescript', target: 'es2024' }).body, '');
  return lines;
}

/** The name of a test, or of a group of them. */
function nameOf({ type, callee, arguments: given }: Partial<CallExpression>): string | undefined {
  const name = given?.[0]?.expression;
  if (type !== 'CallExpression' || !callee || name?.type !== 'StringLiteral') return undefined;
  return ['test', 'describe'].includes(functionOf(callee))
    ? name.value.replaceAll(/%[a-z]|\$\w+/g, '…')
    : undefined;
}

/** `test` for `test`, `test.each` and what that returns. */
function functionOf(callee: Expression | Super | Import): string {
  if (callee.type === 'Identifier') return callee.value;
  if (callee.type === 'MemberExpression') return functionOf(callee.object);
  return callee.type === 'CallExpression' ? functionOf(callee.callee) : '';
}
