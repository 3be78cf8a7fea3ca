import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from '@swc/core';

/** `node --import` of this file loads TypeScript where Node itself cannot, before 22.18: for tests that start processes. */
if (isMainThread) register(import.meta.url);

/** Node calls it in a thread of its own. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const options = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } };
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), options);
  return { format: 'module', source: code, shortCircuit: true };
}
