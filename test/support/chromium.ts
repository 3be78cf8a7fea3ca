import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Nothing that the browser does by itself: no look-ups, no updates, no profile of the person who runs it. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * The program of Chromium, on the PATH of an environment.
 * @throws Error when there is none
 */
export function chromiumOf({ PATH = '' }: NodeJS.ProcessEnv): string {
  const found = PATH.split(delimiter)
    .map(folder => join(folder, 'chromium'))
    .find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    'chromium: expected the browser on the PATH, got none; on Debian, install the package chromium: apt-get install chromium',
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
