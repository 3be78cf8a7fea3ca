import type { SeenScans } from '../../functions/journal/index-scans.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { NamedEntry } from '../../statemachine/contract/targets.ts';
import { ago } from '../deployment/ago.ts';
import type { Subject } from '../deployment/subject.ts';
import { keysToShow, listedKeyText } from '../table/key-text.ts';
import { type Finding, finding } from './finding.ts';
import { SAMPLES } from './item-findings.ts';

/** Age of an overdue scan: one is due each day, and an aborted one is started again within an hour. */
const OLD_MS = 2 * 86_400_000;

/** Findings of the last scan of the whole index, which a sample of the items can miss. */
export function scanFindings(
  seen: SeenScans | undefined,
  subject: Subject,
  { now, mask }: { readonly now: number; readonly mask: boolean },
): Finding[] {
  const { props, model } = subject;
  const { finished } = seen ?? {};
  if (finished === undefined) return [];
  const { endedAt, record } = finished;
  const when = ago(now, new Date(endedAt));
  const logKeys = keysToShow(props.logKeys, mask);
  const keys = { tableName: props.tableName, keyNames: keyAttributeNames(model), logKeys };
  const told = (
    id: 'scan-misfiled' | 'scan-fractional' | 'scan-out-of-range',
    count: number,
    isOf: (is: NamedEntry['is']) => boolean,
  ) => {
    const samples = record.named
      .filter(({ is }) => isOf(is))
      .flatMap(({ key }) => (key === undefined ? [] : (listedKeyText({ key }, keys) ?? [])))
      .slice(0, SAMPLES);
    return count === 0 ? [] : [finding(id, subject, { count, samples, detail: `read ${when}` })];
  };
  const isOld = props.enabled && props.indexScan === 'daily' && now - Date.parse(endedAt) > OLD_MS;
  return [
    ...(isOld ? [finding('scan-old', subject, { detail: `the last one did ${when}` })] : []),
    ...told('scan-out-of-range', record.outOfRange, is => !INSIDE.includes(is)),
    ...told('scan-misfiled', record.misfiled, is => is === 'misfiled'),
    ...told('scan-fractional', record.fractional, is => is === 'fractional'),
  ];
}

const INSIDE: readonly NamedEntry['is'][] = ['overdue', 'fractional', 'misfiled'];
