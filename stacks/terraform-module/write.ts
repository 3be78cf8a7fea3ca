import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { EXAMPLES } from './examples.ts';
import { localsTf, outputsOf, outputsTf, type Versions, variablesTf, versionsTf } from './hcl.ts';
import { FUNCTIONS_FOLDER, GUARD_FOLDER, type ModuleName, mainJson } from './main-json.ts';
import { MODULES_TITLE, moduleReadme, modulesReadme } from './readme.ts';
import { synthesizeSweep } from './synthesize.ts';
import { variablesOf } from './variables.ts';

/** The modules, each in a folder of this name. */
export const MODULES = ['existing-table', 'new-table'] as const satisfies readonly ModuleName[];

/** Conditions of variables that name other variables came with 1.9. */
const TERRAFORM_VERSION = '>= 1.9';

const README = 'README.md';
const EXAMPLES_FOLDER = 'examples';

/**
 * What would be written over and is not of an earlier version, which a README of ours shows: `--out .` must not take a
 * project's own README.
 *
 * @returns names in `outDir`; empty when it can be written to
 */
export function foreignIn(outDir: string): string[] {
  const readme = join(outDir, README);
  const isOurs =
    statSync(readme, { throwIfNoEntry: false })?.isFile() &&
    readFileSync(readme, 'utf8').startsWith(`${MODULES_TITLE}\n`);
  return isOurs ? [] : [README, EXAMPLES_FOLDER, ...MODULES].filter(name => existsSync(join(outDir, name)));
}

/**
 * Writes the Terraform modules: `existing-table` sweeps a table that is there, `new-table` creates it. Each folder is whole by
 * itself, and was synthesized from the constructs of this project. What is in the way of their files is replaced.
 *
 * @param onModule is told of each before it is written, which takes long: it is synthesized in all its variations
 * @returns the files, relative to `outDir`
 */
export function writeTerraformModule(
  outDir: string,
  onModule: (name: ModuleName) => void = () => undefined,
): string[] {
  const modules = MODULES.flatMap(name => {
    onModule(name);
    return writeModule(outDir, name);
  });
  const written = [...modules, ...writeExamples(outDir)];
  return [...written, write(outDir, README, modulesReadme())];
}

function writeModule(outDir: string, name: ModuleName): string[] {
  const { main, output } = mainJson(name);
  const { files, versions } = copied(join(outDir, name), name);
  const variables = variablesOf(name);
  const outputs = outputsOf(output);
  const example = EXAMPLES[name];
  const texts = {
    'main.tf.json': `${JSON.stringify(main, null, 2)}\n`,
    'locals.tf': localsTf(),
    'variables.tf': variablesTf(variables),
    'outputs.tf': outputsTf(outputs),
    'versions.tf': versionsTf(versions),
    [README]: moduleReadme({ module: name, main, variables, outputs, versions, example }),
  };
  return [
    ...files.map(file => join(name, file)),
    ...Object.entries(texts).map(([file, text]) => write(outDir, join(name, file), text)),
  ];
}

/** The functions' archives and the guard, as they were synthesized. */
function copied(
  folder: string,
  name: ModuleName,
): { readonly files: readonly string[]; readonly versions: Versions } {
  // Archives of an earlier version have no place in it.
  for (const each of [FUNCTIONS_FOLDER, GUARD_FOLDER])
    rmSync(join(folder, each), { recursive: true, force: true });
  const files: string[] = [];
  const copy = (from: string, to: string) => {
    mkdirSync(join(folder, to), { recursive: true });
    const file = join(to, basename(from));
    copyFileSync(from, join(folder, file));
    files.push(file);
  };
  const props = { tableName: 'Any', partitionKey: 'id', existingTable: name === 'existing-table' };
  const { providerVersion } = synthesizeSweep(props, stackFolder => {
    const assets = filesBelow(join(stackFolder, 'assets'));
    for (const archive of assets.filter(file => file.endsWith('.zip'))) {
      copy(join(stackFolder, 'assets', archive), FUNCTIONS_FOLDER);
    }
    for (const guard of assets.filter(file => /created_tables.*main\.tf\.json$/.test(file))) {
      copy(join(stackFolder, 'assets', guard), GUARD_FOLDER);
      const file = join(folder, GUARD_FOLDER, basename(guard));
      // Its message stands in a comment, and names a document.
      const guardText = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        guardText.replaceAll(/docs\/(deploy|hold-and-grace)\.md/g, 'README.md of the module'),
      );
    }
  });
  const [major = '', minor = ''] = providerVersion.split('.');
  return {
    files,
    versions: { terraform: TERRAFORM_VERSION, aws: `>= ${major}.${minor}, < ${Number(major) + 1}.0` },
  };
}

/** Relative to the folder, in the order of their names. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

function writeExamples(outDir: string): string[] {
  return MODULES.map(name => write(outDir, join(EXAMPLES_FOLDER, name, 'main.tf'), EXAMPLES[name]));
}

function write(outDir: string, file: string, text: string): string {
  mkdirSync(join(outDir, file, '..'), { recursive: true });
  writeFileSync(join(outDir, file), text);
  return file;
}
