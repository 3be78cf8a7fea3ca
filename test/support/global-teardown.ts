import { rmSync } from 'node:fs';
import { basename } from 'node:path';

/** Removes the temporary folder that global-setup.ts made. */
export default function tearDown(): void {
  const folder = process.env['TMPDIR'] ?? '';
  if (basename(folder).startsWith('precise-ttl-test-')) rmSync(folder, { recursive: true, force: true });
}
