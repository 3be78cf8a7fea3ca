import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providerVersion, schemaOfBindings } from './schema.ts';

export const STUB_PROVIDER = join(process.cwd(), 'test/deploy/stub-provider');

/** What is built once for all runs: the emulator's Python environment, and the provider by what it is built from. */
export const BUILD = process.env['STUB_AWS_BUILD'] ?? join(tmpdir(), 'precise-ttl-deploy-proof');

const BINDINGS = join(process.cwd(), 'node_modules/@cdktf/provider-aws');

export interface StubProvider {
  readonly binary: string;
  /** That of the AWS provider in whose place it stands. */
  readonly version: string;
}

/** @returns the path of a program of the emulator's Python environment */
export function emulatorProgram(name: string): string {
  return join(BUILD, 'venv/bin', name);
}

/** Installs the emulator, the first time. */
export function installEmulator(): void {
  if (existsSync(emulatorProgram('moto_server'))) return;
  execFileSync('python3', ['-m', 'venv', join(BUILD, 'venv')]);
  const requirements = join(STUB_PROVIDER, 'requirements.txt');
  execFileSync(emulatorProgram('pip'), ['install', '--quiet', '-r', requirements]);
}

/** Builds the provider, with the schema of the installed bindings. A build of the same sources is taken as it is. */
export function buildStubProvider(): StubProvider {
  const source = mkdtempSync(join(tmpdir(), 'precise-ttl-stub-provider-'));
  try {
    cpSync(join(STUB_PROVIDER, 'provider'), source, { recursive: true });
    const rules = JSON.parse(readFileSync(join(source, 'rules.json'), 'utf8'));
    writeFileSync(join(source, 'schema.json'), JSON.stringify(schemaOfBindings(BINDINGS, rules), null, 1));
    const digest = createHash('sha256');
    for (const file of globSync('*', { cwd: source }).sort()) digest.update(readFileSync(join(source, file)));
    const binary = join(BUILD, `provider-${digest.digest('hex').slice(0, 16)}`);
    if (!existsSync(binary)) {
      // Under its name only when it is whole: another run may look for it meanwhile.
      const whole = `${binary}.${process.pid}`;
      execFileSync('go', ['build', '-buildvcs=false', '-o', whole, '.'], { cwd: source, stdio: 'pipe' });
      renameSync(whole, binary);
    }
    return { binary, version: providerVersion(BINDINGS) };
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
