import { checkConfig } from '../../config/config.ts';
import { MAX_NAME_LENGTH, PROPS, type PreciseTtlProps, propsOfSettings } from '../../config/props.ts';
import { DEFAULT_INDEXED_BY } from '../../expiry/model.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import type { Wish } from './reading.ts';

/**
 * The configuration's entry for the adopted table.
 *
 * @throws {InvalidConfigError} when the table does not fit into a configuration
 */
export function adoptedProps(
  table: DescribedTable,
  ttlAttribute: string,
  { indexedBy, holdAttribute, graceSeconds }: Pick<Wish, 'indexedBy' | 'holdAttribute' | 'graceSeconds'>,
  indexName: string,
  region: string,
): PreciseTtlProps {
  const { name: tableName, partitionKey, sortKey } = table;
  const { kmsKeyArn: tableKmsKeyArn } = table.settings;
  const props = propsOfSettings({
    tableName,
    existingTable: true,
    // The roles may not use the key unless its ARN is given, and DynamoDB then denies them access to the table.
    ...(tableKmsKeyArn !== undefined && { tableKmsKeyArn }),
    partitionKey: partitionKey.name,
    ...(partitionKey.type !== 'S' && { partitionKeyType: partitionKey.type }),
    ...(sortKey && { sortKey: sortKey.name }),
    ...(sortKey && sortKey.type !== 'S' && { sortKeyType: sortKey.type }),
    ttlAttribute,
    ...(indexedBy !== DEFAULT_INDEXED_BY && { indexedBy }),
    ...(indexName !== PROPS.indexName.byDefault({ tableName, indexedBy }) && { indexName }),
    ...(holdAttribute !== undefined && { holdAttribute }),
    ...(graceSeconds && { graceSeconds }),
    ...shortName(tableName),
  });
  checkConfig({ region, allowUnknownRegion: true, tables: [props] });
  return props;
}

/** Role names must be shorter than table names can be. */
function shortName(tableName: string): { name?: string } {
  if (PROPS.name.byDefault({ tableName }).length <= MAX_NAME_LENGTH) return {};
  return { name: tableName.replaceAll('.', '-').slice(0, MAX_NAME_LENGTH) };
}
