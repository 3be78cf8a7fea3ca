/** The fields of a package.json that are read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** In the checkout, the workspaces' entry points are their sources. */
const SOURCE = /^\.\/src\/(.*)\.ts$/;

/** Fields that a package does not need after its installation. */
const OF_THE_CHECKOUT = ['scripts', 'devDependencies'];

/** The manifest that a workspace is packed with: its entry points are what was built of them. */
export function packedManifest(manifest: Manifest): Manifest {
  const kept = Object.entries(manifest).filter(([field]) => !OF_THE_CHECKOUT.includes(field));
  const exported = Object.entries(manifest.exports).map(([name, target]) => [name, builtOf(target)]);
  return { ...(Object.fromEntries(kept) as Manifest), exports: Object.fromEntries(exported) };
}

/** Returns a target that is not built, such as `./package.json`, as it is. */
function builtOf(target: unknown): unknown {
  const path = typeof target === 'string' ? SOURCE.exec(target)?.[1] : undefined;
  if (path === undefined) return target;
  return { types: `./dist/esm/${path}.d.ts`, default: `./dist/esm/${path}.js` };
}
