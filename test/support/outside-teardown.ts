import { rmSync } from 'node:fs';

/** Removes the folder that outside-setup.ts made. */
export default function tearDown(): void {
  rmSync(process.env['PRECISE_TTL_TEST_PACKED'] ?? '', { recursive: true, force: true });
}
