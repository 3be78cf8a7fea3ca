/** Why a replay can't go on, for a person to read. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

/** An error of the SDK as a line for a person; undefined for a bug of ours. */
export function describeSdkError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'CredentialsProviderError') {
    return (
      `AWS credentials: expected some for the account that is deployed to, got none (${error.message}); set ` +
      'AWS_PROFILE or log in, or AWS_ENDPOINT_URL_SFN for the local Step Functions'
    );
  }
  if ('$metadata' in error) return `Step Functions: ${error.name}: ${error.message}`;
  // The request didn't get through: ECONNREFUSED and its like, with an AggregateError for several addresses.
  if ('code' in error) {
    return `Step Functions: expected an answer, got ${error.code} ${error.message}; look whether the endpoint is right and reachable`;
  }
  return undefined;
}
