import { execFileSync } from 'node:child_process';
import type { BundledPackage } from './release-content.ts';

/** The fields of a CycloneDX document that are read here. */
export interface Sbom {
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
  readonly [field: string]: unknown;
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
  readonly [field: string]: unknown;
}

/** The fields of a packed package's manifest that the document contains. */
export interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** Packages that are not bundled, but installed with it. */
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Lists all packages that are installed in this checkout, as npm knows them. */
export function installedSbom(): Sbom {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
  return JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1e9 })) as Sbom;
}

/**
 * Bill of materials of a packed package: all installed packages that are bundled into it or installed with it. npm's own bill, without
 * development dependencies, would be empty, because bundled packages are development dependencies.
 * @throws Error for a bundled package that npm does not know
 */
export function packageSbom(
  all: Sbom,
  { name, version, description, dependencies = {} }: PackedManifest,
  bundled: readonly BundledPackage[],
): Sbom {
  const nameOf = ({ name: of, version: at }: Pick<Component, 'name' | 'version'>) => `${of}@${at}`;
  const wanted = new Set(bundled.map(nameOf));
  const components = all.components.filter(
    component => wanted.delete(nameOf(component)) || component.name in dependencies,
  );
  if (wanted.size > 0) {
    throw new Error(
      `npm sbom: expected ${[...wanted].join(', ')}, which is bundled, got nothing of it; run npm ci`,
    );
  }
  const ref = `${name}@${version}`;
  const purl = `pkg:npm/${ref}`;
  const kept = new Set(components.map(component => component['bom-ref']));
  return {
    ...all,
    metadata: {
      ...all.metadata,
      component: { ...all.metadata.component, 'bom-ref': ref, name, version, description, purl },
    },
    components: components.map(withoutDevelopment),
    dependencies: [
      { ref, dependsOn: [...kept] },
      ...all.dependencies
        .filter(({ ref: of }) => kept.has(of))
        .map(({ ref: of, dependsOn = [] }) => ({ ref: of, dependsOn: dependsOn.filter(on => kept.has(on)) })),
    ],
  };
}

/** A development dependency of this checkout is a part of the package. */
function withoutDevelopment({ scope: _scope, properties = [], ...component }: Component): Component {
  const kept = (properties as { name: string }[]).filter(
    ({ name }) => !/^cdx:npm:package:(?:development|path)$/.test(name),
  );
  return { ...(component as Component), ...(kept.length > 0 && { properties: kept }) };
}
