import type { Chain, Link } from './chain.ts';
import type { ArchiveComparison } from './compare-archive.ts';
import type { Day } from './day.ts';
import type { Finding } from './finding.ts';

/** `open`: nothing is wrong, and something cannot be told yet. */
export type ProofEnd = 'equal' | 'differs' | 'open';

export interface Verification {
  readonly table: string;
  readonly date: string;
  readonly chain: Chain;
  /** Dates of the first and the last manifest that there is. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  /** Undefined, and the rest with it, where the day has no manifest. */
  readonly link?: Link;
  readonly day?: Day;
  /** Undefined for a table that has no archive. */
  readonly archive?: ArchiveComparison | undefined;
  readonly journal?: { readonly notAsked: string | undefined; readonly findings: readonly Finding[] };
}

/** Findings that are printed. */
const SHOWN = 100;

const number = (amount: number) => amount.toLocaleString('en-US');

/** What a verification comes to. @param place where the manifests are */
export function describeVerification(
  verification: Verification,
  place: string,
): {
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly end: ProofEnd;
} {
  const { date, chain, first, last, link, day, archive, journal } = verification;
  const none: Finding = {
    name: 'manifest-missing',
    text: `manifest of ${date}: expected it, got none; there are manifests from ${first} to ${last}`,
  };
  const isNamed = chain.findings.some(finding => finding.date === date);
  const findings = [
    ...chain.findings,
    ...(link === undefined && !isNamed ? [none] : []),
    ...(day?.findings ?? []),
    ...(archive?.findings ?? []),
    ...(journal?.findings ?? []),
  ];
  const open = archive?.open ?? 0;
  const end = findings.length > 0 ? 'differs' : open > 0 ? 'open' : 'equal';
  const rows = [
    `Proof of ${verification.table} on ${date}, ${place}`,
    ...(link === undefined ? [] : describeManifest(link)),
    ...describeChain(verification),
    ...(archive === undefined
      ? []
      : [`  archive   ${number(archive.found)} of ${number(archive.expected)} lines are there as they were`]),
    ...(journal === undefined ? [] : [`  journal   ${describeJournal(journal)}`]),
    ...(open > 0
      ? [
          `  open      ${number(open)}: archived after the manifest or not at all; the manifest of the next day tells, it is not there yet`,
        ]
      : []),
  ];
  const shown = findings
    .slice(0, SHOWN)
    .flatMap(({ name, text, key }) => [
      `  ${name}  ${text}`,
      ...(key === undefined ? [] : [`    key ${key}`]),
    ]);
  const more =
    findings.length > SHOWN ? [`  and ${number(findings.length - SHOWN)} more: --json FILE has all`] : [];
  const list = findings.length === 0 ? [] : ['', `${number(findings.length)} found:`, ...shown, ...more];
  return { text: [...rows, ...list].join('\n'), findings, end };
}

function describeManifest({ manifest, sha256 }: Link): string[] {
  const { deleted, kept, latestSeconds, late, asOf } = manifest;
  const latest = latestSeconds === null ? '' : `, the latest ${number(latestSeconds)} s after its expiry`;
  return [
    `  deleted   ${number(deleted.sweep)} by the sweep, ${number(deleted.other)} by others${latest}`,
    `  kept      ${number(kept.held)} held, ${number(kept.renewed)} renewed`,
    `  as of     ${asOf}${late === undefined ? '' : `, with ${number(late.reduce((sum, { lines }) => sum + lines, 0))} late of the day before`}`,
    `  sha-256   ${sha256}`,
  ];
}

function describeChain({ chain, first, last }: Verification): string[] {
  const { size } = chain.links;
  const gaps = chain.gaps.length === 0 ? '' : `; nobody wrote those of ${chain.gaps.join(', ')}`;
  return [`  chain     ${number(size)} manifests${size > 0 ? `, ${first} to ${last}` : ''}${gaps}`];
}

function describeJournal({ notAsked, findings }: NonNullable<Verification['journal']>): string {
  if (notAsked !== undefined) return `not asked: ${notAsked}`;
  return findings.length === 0 ? 'has the same deletions' : `differs in ${number(findings.length)}`;
}
