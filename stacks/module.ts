import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PreciseTtlError } from '../expiry/errors.ts';
import { STACK, synthesize } from './app.ts';
import { checkConfig } from './config/config.ts';

type Blocks = Record<string, Record<string, Record<string, unknown>>>;

interface StackJson {
  readonly terraform: object;
  readonly data: Blocks;
  readonly resource: Blocks;
}

const MAIN = 'main.tf.json';

/**
 * Writes a stack as a Terraform module without provider and backend.
 * @param folder empty, or with an earlier module
 * @returns path of `main.tf.json`
 */
export function synthesizeModule(config: unknown, folder: string): string {
  const checked = checkConfig(config);
  const there = readdirSync(folder);
  if (there.length > 0 && !there.includes(MAIN)) {
    const expected = 'a folder that is new, empty, or has a module of this command';
    throw new PreciseTtlError(`--module: expected ${expected}, got ${folder}; name another`);
  }
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));
  try {
    synthesize({ config: checked, outdir });
    const stack = join(outdir, 'stacks', STACK);
    const synthesized = JSON.parse(readFileSync(join(stack, 'cdk.tf.json'), 'utf8'), withoutComment);
    rmSync(join(folder, 'assets'), { recursive: true, force: true });
    cpSync(join(stack, 'assets'), join(folder, 'assets'), { recursive: true });
    // Terraform prints the line of an error, so the JSON is written with line breaks.
    writeFileSync(join(folder, MAIN), `${JSON.stringify(inModule(synthesized, checked.region), null, 2)}\n`);
    return join(folder, MAIN);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

const withoutComment = (key: string, value: unknown) => (key === '//' ? undefined : value);

function inModule(stack: StackJson, region: string): StackJson {
  const { provider: _provider, ...rest } = stack as StackJson & Record<string, unknown>;
  const { backend: _backend, ...terraform } = rest.terraform as Record<string, unknown>;
  for (const lambda of Object.values(rest.resource['aws_lambda_function'] ?? {}))
    lambda['filename'] = `\${path.module}/${lambda['filename']}`;
  const error_message = `region: expected ${region}, as the configuration has it, got \${self.region}. Give the module a provider of that region, or change the configuration and write the module again.`;
  for (const place of Object.values(rest.data['aws_region'] ?? {}))
    place['lifecycle'] = { postcondition: [{ condition: `\${self.region == "${region}"}`, error_message }] };
  return { ...rest, terraform };
}
