import { DUMMY_CREDENTIALS } from './clients.ts';

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
