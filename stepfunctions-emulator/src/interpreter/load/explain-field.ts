/** Fields of JSONPath, which a definition in transition may still contain. */
const JSONPATH_FIELDS: ReadonlySet<string> = new Set([
  'CausePath',
  'ErrorPath',
  'HeartbeatSecondsPath',
  'InputPath',
  'ItemsPath',
  'MaxConcurrencyPath',
  'MaxItemsPerBatchPath',
  'MaxInputBytesPerBatchPath',
  'OutputPath',
  'Parameters',
  'Result',
  'ResultPath',
  'ResultSelector',
  'SecondsPath',
  'TimeoutSecondsPath',
  'TimestampPath',
  'ToleratedFailureCountPath',
  'ToleratedFailurePercentagePath',
  'Variable',
]);
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set([
  'Credentials',
  'ItemReader',
  'Iterator',
  'ResultWriter',
]);

/** Explains why a field that AWS may know is not accepted here. */
export function explainField(key: string): string | undefined {
  if (JSONPATH_FIELDS.has(key)) return 'that one is of JSONPath; this interpreter runs JSONata only';
  return NOT_IMPLEMENTED.has(key) ? 'that one is not implemented' : undefined;
}
