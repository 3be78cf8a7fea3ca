/** The fields of a package.json that are read here. */
export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** In the checkout, the workspaces' entry points are their sources. */
const SOURCE = /^\.\/src\/(.*)\.ts$/;

/** Fields that a package does not need after its installation. */
const OF_THE_CHECKOUT = ['scripts', 'devDependencies'];

/**
 * The manifest that a workspace is packed with: its entry points are what was built of them, twice. TypeScript before 4.7, and
 * Node 10's resolution in later versions, know no `exports`; `main`, `types` and `typesVersions` are for them.
 */
export function packedManifest(manifest: Manifest): Manifest {
  const kept = Object.entries(manifest).filter(([field]) => !OF_THE_CHECKOUT.includes(field));
  const entries = Object.entries(manifest.exports).map(([name, target]) => ({
    name,
    built: builtOf(target),
  }));
  const types = entries.flatMap(({ name, built }) =>
    built === undefined || name === '.' ? [] : [[name.slice('./'.length), [built.require.types]]],
  );
  const main = entries.find(({ name }) => name === '.')?.built?.require;
  return {
    ...(Object.fromEntries(kept) as Manifest),
    ...(main !== undefined && { main: main.default, types: main.types }),
    exports: Object.fromEntries(entries.map(({ name, built }) => [name, built ?? manifest.exports[name]])),
    typesVersions: { '*': Object.fromEntries(types) },
  };
}

/** Returns undefined for a target that is not built, such as `./package.json`. */
function builtOf(target: unknown) {
  const path = typeof target === 'string' ? SOURCE.exec(target)?.[1] : undefined;
  if (path === undefined) return undefined;
  const built = (kind: 'esm' | 'cjs') => ({
    types: `./dist/${kind}/${path}.d.ts`,
    default: `./dist/${kind}/${path}.js`,
  });
  return { import: built('esm'), require: built('cjs') };
}
