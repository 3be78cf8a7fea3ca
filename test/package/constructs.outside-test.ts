// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  compile,
  makeApplication,
  type PackedPackage,
  packPackage,
  runNode,
  useInstalled,
} from '../support/packed-package.ts';
import { codeBlocks } from '../support/proposed-commands.ts';
import { terraformJson } from '../support/synthesized.ts';

const APPLICATION = readFileSync('test/package/constructs-application.ts', 'utf8');

/** As an app in CDK Terrain has it. */
const TERRAIN_APPLICATION = APPLICATION.replaceAll(/(?<=[@'/])cdktf(?=['/])/g, 'cdktn');

/** CDK Terrain is not a package of this project: it is installed here when these tests run, and stays for the next run. */
const TERRAIN = resolve('node_modules/.cache/precise-ttl/cdk-terrain');
const TERRAIN_PACKAGES = ['cdktn@0.24.0', '@cdktn/provider-aws@25.7.0', 'constructs@10.7.0'];

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

interface Synthesized {
  readonly resource: Readonly<Record<string, object>>;
  readonly data?: object;
  readonly module?: object;
  readonly output?: object;
  readonly moved?: object;
}

/** Compiles the application and runs it; returns what it synthesized, by stack. */
async function synthesize(folder: string, file: string) {
  await compile(folder, [file], { module: 'nodenext' });
  await runNode(folder, [join('out', file.replace(/ts$/, 'js'))]);
  const stackOf = (stack: string): Synthesized =>
    JSON.parse(readFileSync(join(folder, 'synthesized/stacks', stack, 'cdk.tf.json'), 'utf8'));
  return { whole: stackOf('precise-ttl'), own: stackOf('sessions') };
}

/** All that Terraform makes, without the versions of the provider and of whatever wrote it. */
function made({ resource, data, module, output, moved }: Synthesized): object {
  return { resource, data, module, output, moved };
}

test('an app with CDKTF compiles as CommonJS, and synthesizes what this checkout does', async () => {
  const folder = makeApplication(packed, { 'main.cts': APPLICATION });
  useInstalled(folder, ['cdktf', 'constructs', '@cdktf']);
  const { whole, own } = await synthesize(folder, 'main.cts');
  // To the byte of the archives: their hashes are in it.
  expect(whole).toEqual(terraformJson(configOf(SESSION_DATA)));
  const machines = Object.values(own.resource['aws_sfn_state_machine'] ?? {});
  expect(machines.map(({ name }) => name).sort()).toEqual(['sessions', 'sessions-replay']);
  for (const { definition } of machines) expect(definition).toContain('expirySecondIndex');
  expect(Object.values(own.resource['aws_lambda_function'] ?? {})).toContainEqual(
    expect.objectContaining({
      function_name: 'sessions-delete-chunk',
      reserved_concurrent_executions: 50,
      environment: { variables: expect.objectContaining({ DEPLOYMENT_NAME: 'sessions' }) },
    }),
  );
  const assets = join(folder, 'synthesized/stacks/sessions/assets');
  // The archives of the functions.
  expect(readdirSync(assets).length).toBe(4);
});

test('an app with CDK Terrain compiles as ES modules, and synthesizes the same', async () => {
  if (!(await installTerrain())) return;
  const folder = makeApplication(packed, { 'main.mts': TERRAIN_APPLICATION });
  for (const name of ['cdktn', 'constructs', '@cdktn']) {
    symlinkSync(join(TERRAIN, 'node_modules', name), join(folder, 'node_modules', name));
  }
  const { whole, own } = await synthesize(folder, 'main.mts');
  expect(made(whole)).toEqual(made(terraformJson(configOf(SESSION_DATA))));
  expect(Object.keys(own.resource)).toContain('aws_sfn_state_machine');
});

test('the examples of the documents compile, and the app of the examples synthesizes', async () => {
  const [stack, main] = ['tokens-stack.ts', 'main.ts'].map(file =>
    readFileSync(join('docs/examples/cdktf-app', file), 'utf8'),
  );
  const program = `${stack}${main?.replace(/^import .* from '\.\/tokens-stack\.ts';$/m, '')}`;
  const parts = codeBlocks('docs/use.md', 'ts').filter(text => text.includes('new PreciseTtl('));
  expect(parts).toHaveLength(1);
  const folder = makeApplication(packed, {
    'main.mts': program,
    // Each part for itself: they go into the reader's own program.
    'parts.mts': `import { TerraformOutput, type TerraformStack } from 'cdktf';
      import { PreciseTtl, type PreciseTtlProps, type TableReference } from 'precise-ttl/cdktf';
      declare const stack: TerraformStack;
      declare const props: PreciseTtlProps;
      declare const sessions: TableReference;
      ${parts.map(part => `{\n${part}}`).join('\n')}`,
  });
  useInstalled(folder, ['cdktf', 'constructs', '@cdktf']);
  await compile(folder, ['main.mts', 'parts.mts'], {
    module: 'nodenext',
    target: undefined,
    lib: undefined,
  });
  await runNode(folder, ['out/main.mjs']);
  expect(existsSync(join(folder, 'cdktf.out/stacks/tokens/cdk.tf.json'))).toBe(true);
});

/** Whether it is there, after an attempt to get it from the registry. */
async function installTerrain(): Promise<boolean> {
  const stamp = join(TERRAIN, 'installed.json');
  const wanted = JSON.stringify(TERRAIN_PACKAGES);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  mkdirSync(TERRAIN, { recursive: true });
  writeFileSync(join(TERRAIN, 'package.json'), '{ "private": true }\n');
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    await promisify(execFile)('npm', ['install', ...options, ...TERRAIN_PACKAGES], { cwd: TERRAIN });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    console.warn(`CDK Terrain is not tested: it cannot be installed.\n${stderr ?? error}`);
    return false;
  }
  writeFileSync(stamp, wanted);
  return true;
}
