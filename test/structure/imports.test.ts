import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { MAY_IMPORT } from './rooms.ts';

/** What each file of the sources imports: paths in the repository, and packages by their names. */
interface ImportGraph {
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
function readImports(folders: readonly string[]): ImportGraph {
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
function importsOf(source: string): string[] {
  return [...source.replaceAll(COMMENT, '').matchAll(IMPORT)].flatMap(([, ...names]) =>
    names.filter(name => name !== undefined),
  );
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.includes('node_modules'))
    .map(path => join(folder, path));
}

/** Files that import each other, directly or over others: each circle sorted. */
function circlesIn(graph: ImportGraph): string[][] {
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
  // A set that grows while it is gone through is gone through to its end.
  for (const each of found) for (const imported of graph.files.get(each) ?? []) found.add(imported);
  return found;
}

type Room = keyof typeof MAY_IMPORT;
const ROOMS = Object.keys(MAY_IMPORT) as Room[];

/**
 * Files that may import each other. A state of the Amazon States Language may hold state machines, so what runs a
 * state runs a whole graph of states again.
 */
const GRAMMAR = [['map/inline.ts', 'run/graph.ts', 'run/state.ts']].map(files =>
  files.map(file => `packages/stepfunctions-emulator/src/interpreter/${file}`),
);

const graph = readImports(ROOMS);
const FUNCTIONS = ALL_FUNCTIONS.map(fileOf);
/** A room within another one is no part of it. */
const isIn = (folder: string) => {
  const within = ROOMS.filter(room => folder in MAY_IMPORT && room.startsWith(`${folder}/`));
  return (file: string) => file.startsWith(`${folder}/`) && !within.some(room => file.startsWith(`${room}/`));
};

/** `from → to` of what a room imports from outside itself. */
function importsFromOutside(room: Room): string[] {
  return [...graph.files].flatMap(([file, imported]) =>
    isIn(room)(file) ? imported.filter(other => !isIn(room)(other)).map(other => `${file} → ${other}`) : [],
  );
}

test('sees imports of values, of types, of what is exported on, and dynamic ones', () => {
  const source = `import { a } from './a.ts';\nimport type {\n  B,\n} from './b.ts';\nexport * from './c.ts';
    const d = await import('./d.ts'); type E = import('./e.ts').E; // import './not.ts'`;
  expect(importsOf(source).sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  expect(graph.files.get('cli/replay.ts')).toEqual(
    expect.arrayContaining(['cli/command.ts', 'statemachine/counts.ts']),
  );
  expect(graph.files.get('local/serve.ts')).toContain('packages/stepfunctions-emulator/src/index.ts');
  const missing = [...graph.files.values()].flat().filter(file => !existsSync(file));
  expect(missing).toEqual([]);
});

test('every folder with sources is a room', () => {
  const folders = readdirSync('.', { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .filter(name => readdirSync(name, { recursive: true, encoding: 'utf8' }).some(isSource));
  // An example, and a file of the documents, imports nothing of the checkout.
  const known = [...ROOMS.map(room => room.split('/')[0]), 'docs', 'test', 'dist', 'coverage'];
  expect(folders.filter(name => !known.includes(name))).toEqual([]);
});

function isSource(path: string): boolean {
  return path.endsWith('.ts') && !path.includes('node_modules');
}

function mayImport(room: string): string[] {
  const direct: readonly string[] = room in MAY_IMPORT ? MAY_IMPORT[room as Room] : [];
  return [...direct, ...direct.flatMap(mayImport)];
}

test.each(ROOMS)('%s imports only from where it may', room => {
  const allowed = mayImport(room);
  const refused = importsFromOutside(room).filter(
    edge => !allowed.some(other => isIn(other)(edge.split(' → ')[1] ?? '')),
  );
  expect(refused).toEqual([]);
});

test('a function imports its own folder and what is shared, never another function', () => {
  const folderOf = (file: string) => FUNCTIONS.find(folder => file.startsWith(`functions/${folder}/`));
  const edges = [...graph.files].flatMap(([file, imported]) => imported.map(other => [file, other] as const));
  const across = edges.filter(
    ([file, other]) =>
      file.startsWith('functions/') && folderOf(other) !== undefined && folderOf(other) !== folderOf(file),
  );
  expect(across).toEqual([]);
});

test('nothing inside the emulator is imported from outside', () => {
  const inEmulator = ROOMS.filter(room => !room.startsWith('packages/stepfunctions-emulator/'))
    .flatMap(importsFromOutside)
    .filter(edge => edge.includes('→ packages/stepfunctions-emulator/src/'));
  expect(inEmulator.length).toBeGreaterThan(0);
  expect(inEmulator.filter(edge => !graph.entries.has(edge.split(' → ')[1] ?? ''))).toEqual([]);
});

test('the page knows the data that it shows, and nothing else of the emulator', () => {
  const imported = importsFromOutside('packages/stepfunctions-emulator/page').map(
    edge => edge.split(' → ')[1],
  );
  expect(new Set(imported)).toEqual(new Set(['packages/stepfunctions-emulator/src/page/data.ts']));
});

test('only the stacks know of CDKTF', () => {
  const files = [...graph.packages].filter(([, names]) =>
    names.some(name => /^(@?cdktf|constructs)\b/.test(name)),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(files.map(([file]) => file).filter(file => !isIn('stacks')(file))).toEqual([]);
});

test.each(['replay', 'pause', 'backfill', 'deploy', 'synth', 'init', 'adopt', 'doctor', 'status', 'cost'])(
  'the command %s loads nothing that is local',
  command => {
    const loaded = [...importedBy(`cli/${command}.ts`, graph)];
    expect(loaded).toContain('cli/command.ts');
    const emulates = (file: string) =>
      ['packages/stepfunctions-emulator', 'local', 'bench'].some(room => isIn(room)(file));
    expect(loaded.filter(emulates)).toEqual([]);
  },
);

test('no files import each other in a circle, but for the grammar of the states', () => {
  expect(circlesIn(graph)).toEqual(GRAMMAR);
});
