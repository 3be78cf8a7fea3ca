import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../local/ports.ts';
import {
  buildStubProvider,
  emulatorProgram,
  STUB_PROVIDER,
  type StubProvider,
} from '../stub-provider/build.ts';
import { missingTools } from './tools.ts';

/** A mirror's first folder has the name of the host that Terraform, or OpenTofu, takes providers from by default; nothing is asked there. */
const PROVIDER_HOSTS = [['registry', 'terraform', 'io'].join('.'), ['registry', 'opentofu', 'org'].join('.')];

/** Terraform and the provider are done before the garbage of their memory matters: without this, a third of their time goes into it. */
const FEW_COLLECTIONS = { GOGC: '400' };

/** `describe` where these tests can run; elsewhere they are skipped, and it is said why. */
export const describeWithTerraform = describeWhenComplete(missingTools());

function describeWhenComplete(lacking: readonly string[]): jest.Describe {
  if (lacking.length === 0) return describe;
  console.warn(`test/deploy is skipped: it needs ${lacking.join(', ')}.`);
  return describe.skip;
}

/** An emulated AWS, and what Terraform needs to deploy to it. */
export interface EmulatedAws {
  readonly endpoint: string;
  readonly environment: Readonly<Record<string, string>>;
  /** By this Terraform finds a provider that stays, for all its commands in a folder but `init`: it starts its own three times for a plan. */
  attachedIn(folder: string): Promise<Readonly<Record<string, string>>>;
  /** Empties the account. */
  reset(): Promise<void>;
  /** What is wrong with all calls of the provider so far by AWS's own models of its services; nothing when they are right. */
  callProblems(): string;
  stop(): Promise<void>;
}

/** Starts the emulator. */
export async function startEmulatedAws(): Promise<EmulatedAws> {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-deploy-'));
  const log = join(folder, 'calls.jsonl');
  const built = buildStubProvider();
  writeFileSync(join(folder, 'terraform.rc'), mirror(folder, built));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const program = [join(STUB_PROVIDER, 'emulator.py'), '-H', '127.0.0.1', '-p', String(port)];
  const server = spawn(emulatorProgram('python'), program, { stdio: 'ignore' });
  const ofProvider = { AWS_ENDPOINT_URL: endpoint, STUB_AWS_LOG: log };
  const providers = new Map<string, Promise<StayingProvider>>();
  const stopProviders = async () => {
    const started = await Promise.all(providers.values());
    providers.clear();
    const ended = started.map(({ process }) => once(process, 'exit'));
    for (const { process } of started) process.kill('SIGINT');
    await Promise.all(ended);
  };
  await answering(`${endpoint}/moto-api/`);
  return {
    endpoint,
    async attachedIn(cwd) {
      const provider = providers.get(cwd) ?? startProvider(built, { cwd, environment: ofProvider });
      providers.set(cwd, provider);
      return (await provider).attached;
    },
    environment: {
      ...ofProvider,
      ...FEW_COLLECTIONS,
      TF_CLI_CONFIG_FILE: join(folder, 'terraform.rc'),
      TF_IN_AUTOMATION: '1',
      CHECKPOINT_DISABLE: '1',
    },
    reset: async () => {
      await stopProviders();
      await fetch(`${endpoint}/moto-api/reset`, { method: 'POST' });
    },
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await stopProviders();
      await ended;
    },
    callProblems: () => callProblems(log),
  };
}

interface StayingProvider {
  readonly process: ChildProcess;
  readonly attached: Readonly<Record<string, string>>;
}

/** Starts a provider that stays until it is interrupted. The archives of functions are named as they are found from the folder. */
async function startProvider(
  { binary }: StubProvider,
  { cwd, environment }: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
): Promise<StayingProvider> {
  const env = { TMPDIR: tmpdir(), ...FEW_COLLECTIONS, ...environment };
  const process = spawn(binary, ['-stay'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    process.once('exit', () =>
      reject(new Error(`The provider: expected it to say where it is, got ${said}`)),
    );
    process.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /TF_REATTACH_PROVIDERS='\{"[^"]+":(.*)\}'/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const ofHosts = PROVIDER_HOSTS.map(host => [`${host}/hashicorp/aws`, JSON.parse(address)]);
  return { process, attached: { TF_REATTACH_PROVIDERS: JSON.stringify(Object.fromEntries(ofHosts)) } };
}

/** @param log the calls as `STUB_AWS_LOG` has them */
export function callProblems(log: string): string {
  const { status, stdout, stderr } = spawnSync(
    emulatorProgram('python'),
    [join(STUB_PROVIDER, 'check-calls.py'), log],
    { encoding: 'utf8' },
  );
  return status === 0 ? '' : stdout + stderr;
}

/** Terraform's configuration: the provider comes from a folder, nothing from elsewhere. */
function mirror(folder: string, { binary, version }: StubProvider): string {
  const platform = execFileSync('go', ['env', 'GOOS', 'GOARCH'], { encoding: 'utf8' })
    .trim()
    .replace('\n', '_');
  for (const host of PROVIDER_HOSTS) {
    const place = join(folder, 'mirror', host, 'hashicorp/aws', version, platform);
    mkdirSync(place, { recursive: true });
    cpSync(binary, join(place, `terraform-provider-aws_v${version}`));
  }
  return `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror { path = "${join(folder, 'mirror')}" }\n}\n`;
}

async function answering(url: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (attempt === 300) throw error;
      await sleep(100);
    }
  }
}
