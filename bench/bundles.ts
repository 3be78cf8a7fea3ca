/** `npm run bench bundles`: size and import time of each function's bundle, as it is deployed. See `--help`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { runCommand } from '../cli/run-command.ts';
import { bundleBackfill, bundleFunctions, bundleStreamFunctions } from '../stacks/bundle.ts';
import { median } from './live/median.ts';

const RUNS = 15;

const MEASURE = `
  const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);
`;

function importMs(file: string): number {
  const args = ['--input-type=module', '--eval', MEASURE, pathToFileURL(file).href];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const help = (flags: string) => `npm run bench bundles -- [flags]

Measures size and import time of each function's bundle, as it is deployed, beside a plain CommonJS bundle of the
DynamoDB client for comparison. Every import is a process of its own.

${flags}`;

async function run(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'precise-ttl-bench-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const baseline = join(scratch, 'client.cjs');
  buildSync({
    stdin: { contents: "export * from '@aws-sdk/client-dynamodb'", resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    outfile: baseline,
  });

  const bundles = { ...bundleFunctions(), ...bundleBackfill(), ...bundleStreamFunctions() };
  const files: [string, string][] = [
    ...Object.entries(bundles).map(([task, { module }]): [string, string] => [task, module]),
    ['(CommonJS client)', baseline],
  ];
  // Round by round, so that a slow moment of the machine meets all of them.
  const times = new Map(files.map(([name]) => [name, [] as number[]]));
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [name, file] of files) {
      const ms = importMs(file);
      if (run > 0) times.get(name)?.push(ms); // the first warms the disk's cache
    }
  }
  const compared = median(times.get('(CommonJS client)') ?? []);
  console.log(`Node ${process.version}, median of ${RUNS} imports\n`);
  console.log('| bundle | KB | import, ms | of the CommonJS client |');
  console.log('|---|--:|--:|--:|');
  for (const [name, file] of files) {
    const ms = median(times.get(name) ?? []);
    const kilobytes = statSync(file).size / 1000;
    console.log(`| ${name} | ${kilobytes.toFixed(0)} | ${ms.toFixed(1)} | ${(ms / compared).toFixed(2)} |`);
  }
  return 0;
}

await runCommand({ flags: {}, help, run });
