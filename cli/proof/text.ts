import type { Manifest } from '../../functions/proof/manifest-shape.ts';
import type { ProofReport } from '../../operate/proof/report.ts';

/** Findings that are printed at most. */
const SHOWN = 100;

const number = (amount: number) => amount.toLocaleString('en-US');

/** The result of a verification as text. */
export function describeProof(report: ProofReport): string {
  const { date, manifest, sha256, archive, journal, open, findings } = report;
  const rows = [
    `Proof of ${report.table} on ${date}, ${report.place}`,
    ...(manifest === null ? [] : describeManifest(manifest, sha256 ?? '')),
    describeChain(report),
    ...(archive === null
      ? []
      : [`  archive   ${number(archive.found)} of ${number(archive.expected)} lines are there as they were`]),
    ...(journal === null ? [] : [`  journal   ${describeJournal(journal)}`]),
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
  return [...rows, ...list].join('\n');
}

function describeManifest({ deleted, kept, latestSeconds, late, asOf }: Manifest, sha256: string): string[] {
  const latest = latestSeconds === null ? '' : `, the latest ${number(latestSeconds)} s after its expiry`;
  return [
    `  deleted   ${number(deleted.sweep)} by the sweep, ${number(deleted.other)} by others${latest}`,
    `  kept      ${number(kept.renewed)} renewed`,
    `  as of     ${asOf}${late === undefined ? '' : `, with ${number(late.reduce((sum, { lines }) => sum + lines, 0))} late of the day before`}`,
    `  sha-256   ${sha256}`,
  ];
}

function describeChain({ chain: { manifests, first, last, gaps } }: ProofReport): string {
  const missing = gaps.length === 0 ? '' : `; nobody wrote those of ${gaps.join(', ')}`;
  return `  chain     ${number(manifests)} manifests${manifests > 0 ? `, ${first} to ${last}` : ''}${missing}`;
}

function describeJournal({ notAsked, differences }: NonNullable<ProofReport['journal']>): string {
  if (notAsked !== null) return `not asked: ${notAsked}`;
  return differences === 0 ? 'has the same deletions' : `differs in ${number(differences)}`;
}
