import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of the run for the packed packages, which all its test files use. outside-teardown.ts removes it. */
export default function setUp(): void {
  process.env['PRECISE_TTL_TEST_PACKED'] = mkdtempSync(join(tmpdir(), 'precise-ttl-packed-'));
}
