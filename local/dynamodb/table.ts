import { DUMMY_CREDENTIALS } from './clients.ts';

export type KeyType = 'S' | 'N' | 'B';

export interface TableIndex {
  readonly name: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes: readonly string[];
}

export interface TableResource {
  /** Address of the resource: `aws_dynamodb_table.sessions`. */
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly hashKey: string;
  readonly rangeKey?: string;
  /** Types of the key attributes of the table and its indexes, by name. */
  readonly attributes: Readonly<Record<string, KeyType>>;
  readonly globalIndexes: readonly TableIndex[];
  readonly localIndexes: readonly TableIndex[];
  /** The attribute of native TTL when it is enabled on AWS. Never enabled locally. */
  readonly nativeTtlAttribute?: string;
  readonly stream?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}

/** A table that the stack uses but does not create. */
export interface ExistingTable {
  readonly address: string;
  readonly name: string;
  readonly region: string;
}

/**
 * Builds the AWS CLI command, one line for a POSIX shell, that sends the same request as the SDK to a DynamoDB on this machine. It has the
 * credentials and the region of the local cloud, because DynamoDB Local without `-sharedDb` keeps separate tables for each.
 * @param request what becomes `--table-name` and so on; texts as they are, the rest as JSON
 */
export function awsCommand(
  command: string,
  request: object,
  { endpoint, region }: { readonly endpoint: string; readonly region: string },
): string {
  const flags = Object.entries({ ...request, Region: region, EndpointUrl: endpoint }).map(
    ([name, value]) => `${flagOf(name)} ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const credentials = Object.entries(DUMMY_CREDENTIALS).map(([name, value]) => `${name}=${value}`);
  return [...credentials, 'aws dynamodb', command, ...flags].join(' ');
}

/** `--table-name` for `TableName`. */
const flagOf = (name: string): string =>
  `-${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;

/** Quotes any text as one word for the shell. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
