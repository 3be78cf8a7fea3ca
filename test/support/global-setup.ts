import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerSource } from '../../local/functions/worker-source.ts';
import { bundleFunctions } from '../../stacks/bundle.ts';

/** Files of temporary folders leave entries that nobody reads again; a run of everything needs about 1,000. */
const MAX_CACHE_ENTRIES = 5_000;

const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/precise-ttl/compile');

/**
 * What the tests make in the system's temporary folder goes into a folder of this run, so that it can go as a whole:
 * a test file's own clean-up at exit never runs, jest ends its workers.
 *
 * The functions are bundled here, and what their threads run, once for all test files; in-sources.ts hands it out. Node's compile cache does
 * the same for the commands that tests start, and for those of the next run: it knows a file by its content.
 */
export default function setUp(_all?: unknown, project?: { readonly setupFiles: readonly unknown[] }): void {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-test-'));
  process.env['TMPDIR'] = folder;
  if (
    existsSync(COMPILE_CACHE) &&
    readdirSync(COMPILE_CACHE, { recursive: true }).length > MAX_CACHE_ENTRIES
  ) {
    rmSync(COMPILE_CACHE, { recursive: true });
  }
  process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
  // Only setupFiles hand the bundles out: tests of packed packages have none.
  if (project?.setupFiles.length === 0) return;
  process.env['PRECISE_TTL_TEST_BUNDLES'] = JSON.stringify(bundleFunctions());
  process.env['PRECISE_TTL_TEST_WORKER'] = workerSource();
}
