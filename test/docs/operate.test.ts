import { readFileSync } from 'node:fs';
import * as operate from '../../operate/index.ts';

/** Exports that are no functions of a deployment. */
const OTHERS = ['loadConfig'];

test('docs/operate.md names each function of precise-ttl/operate', () => {
  const [, section = ''] = readFileSync('docs/operate.md', 'utf8').split('### How do I ask from a program?');
  const [named = ''] = section.split('\n```');
  const functions = Object.keys(operate).filter(name => /^[a-z]/.test(name) && !OTHERS.includes(name));
  expect(functions.length).toBeGreaterThan(10);
  expect(functions.filter(name => !named.includes(`\`${name}\``))).toEqual([]);
});
