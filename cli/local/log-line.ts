import { jsonObject } from '../../operate/json-object.ts';

/** `09:01:00Z` */
export const localTime = (epochMilliseconds: number): string =>
  `${new Date(epochMilliseconds).toISOString().slice(11, 19)}Z`;

/** Characters of a line that are shown at most, without its message. */
const REST_LENGTH = 160;
/** Longer values are cut off. */
const VALUE_LENGTH = 60;
const TEXT_LENGTH = 400;

/** Fields that Lambda and the Powertools put into every JSON log line, and fields that are shown elsewhere. */
const ENVELOPE = new Set([
  'level',
  'message',
  'timestamp',
  'service',
  'requestId',
  'function_arn',
  'function_memory_size',
  'function_name',
  'function_request_id',
  'cold_start',
  'sampling_rate',
  'xray_trace_id',
]);

/**
 * Formats a line that a function printed: level, message and a short form of the other fields for a JSON log line; the values for
 * embedded metrics; any other line unchanged.
 */
export function readableLine(line: string): string {
  const document = jsonObject(line);
  if (document === undefined) return shorten(line, TEXT_LENGTH);
  if (typeof document['_aws'] === 'object') return join('METRIC', fields(document, metricNames(document)));
  const { level, message } = document;
  if (typeof level !== 'string' || message === undefined) return shorten(line, TEXT_LENGTH);
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const rest = Object.keys(document).filter(name => !ENVELOPE.has(name));
  return join(level.toUpperCase(), shorten(text, TEXT_LENGTH), fields(document, rest));
}

const LEVEL_LENGTH = 'METRIC'.length;

function join(level: string, ...parts: readonly string[]): string {
  return [level.padEnd(LEVEL_LENGTH), ...parts.filter(Boolean)].join('  ');
}

/** `name=value name=value …` */
export function fields(
  document: Readonly<Record<string, unknown>>,
  names: readonly string[],
  most = REST_LENGTH,
): string {
  return shorten(
    names.map(name => `${name}=${shorten(shownValue(document[name]), VALUE_LENGTH)}`).join(' '),
    most,
  );
}

/** Names of the metrics in a document. Source: the embedded metric format, "_aws.CloudWatchMetrics[].Metrics[].Name". */
function metricNames(document: Readonly<Record<string, unknown>>): string[] {
  const { CloudWatchMetrics: directives } = document['_aws'] as { CloudWatchMetrics?: unknown };
  if (!Array.isArray(directives)) return [];
  return directives.flatMap((directive: { Metrics?: unknown } | null) =>
    Array.isArray(directive?.Metrics)
      ? directive.Metrics.map((metric: { Name?: unknown } | null) => String(metric?.Name))
      : [],
  );
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  // An error as the Powertools log it: its stack would fill the line.
  if (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'message' in value &&
    'stack' in value
  ) {
    return `${value.name}: ${value.message}`;
  }
  return JSON.stringify(value) ?? '';
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
