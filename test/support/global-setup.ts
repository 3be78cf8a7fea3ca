import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What the tests make in the system's temporary folder goes into a folder of this run, so that it can go as a whole:
 * a test file's own clean-up at exit never runs, jest ends its workers.
 */
export default function setUp(): void {
  process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'precise-ttl-test-'));
}
