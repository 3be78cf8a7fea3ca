import { DUMMY_CREDENTIALS } from './clients.ts';

/**
 * A command of the AWS CLI that asks a DynamoDB on this machine for the same as a request of the SDK, as one line for a POSIX
 * shell. With the credentials and the region of the local cloud: a DynamoDB Local without `-sharedDb` has other tables for others.
 *
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

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
