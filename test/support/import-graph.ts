import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What each file of the sources imports: paths in the repository, and packages by their names. */
export interface ImportGraph {
  /** File → files. Types, dynamic imports and what is exported on count. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** File → packages. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
  /** The files that names of workspaces stand for. */
  readonly entries: ReadonlySet<string>;
}

/** Packages of this repository that others import by name. */
const WORKSPACES = ['packages/stepfunctions-emulator'];

/** What may be imported from a workspace by name, and the file that stands for it; `*` stands for any path, as in package.json. */
function entriesOf(workspace: string): [string, string][] {
  const { exports } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string>>;
  };
  return Object.entries(exports)
    .filter(([, source]) => source.endsWith('.ts'))
    .map(([name, source]) => [join(basename(workspace), name), join(workspace, source)]);
}

/** The file that a package's name, or its name and a path, stands for. */
function fileOfEntry(name: string, entries: ReadonlyMap<string, string>): string | undefined {
  const [workspace = '', ...path] = name.split('/');
  return entries.get(name) ?? entries.get(`${workspace}/*`)?.replace('*', path.join('/'));
}

/** The imports of TypeScript files. @param folders from the root of the repository */
export function readImports(folders: readonly string[]): ImportGraph {
  const entries = new Map(WORKSPACES.flatMap(entriesOf));
  const files = new Map<string, readonly string[]>();
  const packages = new Map<string, readonly string[]>();
  for (const file of folders.flatMap(sourcesIn)) {
    const names = importsOf(readFileSync(file, 'utf8'));
    const fileOf = (name: string) =>
      name.startsWith('.') ? join(file, '..', name) : fileOfEntry(name, entries);
    files.set(
      file,
      names.flatMap(name => fileOf(name) ?? []),
    );
    packages.set(
      file,
      names.filter(name => fileOf(name) === undefined),
    );
  }
  return { files, packages, entries: new Set(entries.values()) };
}

/** Imports as Biome formats them: statements, which begin a line, and calls and types. */
const IMPORT =
  /^(?:(?:import|export)\b[^'`;]*|\} )\bfrom '([^']+)'|\bimport\(\s*'([^']+)'|^import '([^']+)'/gm;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm;

/** What a file names in its imports. */
export function importsOf(source: string): string[] {
  return [...source.replaceAll(COMMENT, '').matchAll(IMPORT)].flatMap(([, ...names]) =>
    names.filter(name => name !== undefined),
  );
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.includes('node_modules'))
    .map(path => join(folder, path));
}

/** Everything that is loaded with a file, itself included. */
export function reachableFrom(start: string, { files }: ImportGraph): ReadonlySet<string> {
  const found = new Set([start]);
  // A set that grows while it is gone through is gone through to its end.
  for (const file of found) for (const imported of files.get(file) ?? []) found.add(imported);
  return found;
}

/** Files that import each other, directly or over others: each circle sorted. */
export function circlesIn(graph: ImportGraph): string[][] {
  const reachable = new Map([...graph.files.keys()].map(file => [file, importedBy(file, graph)]));
  const circles = new Map<string, string[]>();
  for (const [file, imported] of reachable) {
    if (!imported.has(file)) continue;
    const circle = [...imported].filter(other => reachable.get(other)?.has(file)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

/** Everything that a file imports, directly or not; itself only when it is in a circle. */
function importedBy(file: string, graph: ImportGraph): ReadonlySet<string> {
  const found = new Set(graph.files.get(file));
  for (const each of found) for (const imported of graph.files.get(each) ?? []) found.add(imported);
  return found;
}
