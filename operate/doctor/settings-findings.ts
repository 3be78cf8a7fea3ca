import { isReference } from '../../config/references.ts';
import type { Subject } from '../deployment/subject.ts';
import type { Throughput } from '../table/describe-table.ts';
import { type Finding, finding } from './finding.ts';
import type { FindingId } from './findings.ts';
import type { TableShape } from './table-findings.ts';

/**
 * Findings about settings that the configuration has and the table lacks, for example after a restore from a backup. An existing
 * table is checked only for its KMS key; a table that the deployment created is checked for all settings.
 */
export function settingsFindings(table: TableShape, subject: Subject): Finding[] {
  const { props } = subject;
  const { tableKmsKeyArn: key, stream, warmThroughput: warm } = props;
  const { settings } = table;
  const differs = (id: FindingId, expected: string, got: string | undefined): Finding[] =>
    expected === got ? [] : [finding(id, subject, { detail: `expected ${expected}, got ${got ?? 'none'}` })];
  const ofKey =
    key === undefined || isReference(key) ? [] : differs('table-key-differs', key, settings.kmsKeyArn);
  if (props.existingTable) return ofKey;
  const isCold =
    warm !== undefined &&
    table.warmThroughput !== undefined &&
    (table.warmThroughput.readUnits < warm.read || table.warmThroughput.writeUnits < warm.write);
  return [
    ...(props.deletionProtection && !settings.deletionProtection
      ? [finding('deletion-protection-off', subject)]
      : []),
    ...ofKey,
    ...(stream === undefined ? [] : differs('stream-differs', stream, settings.stream)),
    ...differs('capacity-differs', capacityWanted(subject), capacityOf(table, subject)),
    ...(isCold
      ? differs(
          'warm-throughput-low',
          units({ readUnits: warm.read, writeUnits: warm.write }),
          units(table.warmThroughput),
        )
      : []),
    ...differs('table-class-differs', props.tableClass, settings.tableClass),
  ];
}

/** Findings about point-in-time recovery. @param isOn whether it is on */
export function recoveryFindings(isOn: boolean, subject: Subject): Finding[] {
  return isOn ? [] : [finding('point-in-time-recovery-off', subject)];
}

/** Whether the configuration wants point-in-time recovery, so that its absence is a finding. */
export function wantsRecovery({ props }: Subject): boolean {
  return !props.existingTable && props.pointInTimeRecovery;
}

const ON_DEMAND = 'on demand';

function capacityWanted({ props: { provisionedCapacity: capacity } }: Subject): string {
  if (capacity === undefined) return ON_DEMAND;
  const { read, write, indexRead = read, indexWrite = write } = capacity;
  return tableAndIndex(
    { readUnits: read, writeUnits: write },
    { readUnits: indexRead, writeUnits: indexWrite },
  );
}

/** The capacity of a table and its index; a missing index is reported by another finding. */
function capacityOf({ throughput, indexes }: TableShape, { props }: Subject): string {
  if (throughput === undefined) return ON_DEMAND;
  const index = indexes.find(({ name }) => name === props.indexName);
  return tableAndIndex(throughput, index?.throughput);
}

function tableAndIndex(table: Throughput, index: Throughput | undefined): string {
  return `${units(table)}, its index ${index === undefined ? 'none' : units(index)}`;
}

function units({ readUnits, writeUnits }: Throughput): string {
  return `${readUnits} read and ${writeUnits} write units a second`;
}
