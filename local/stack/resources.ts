import { kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { enrichmentInput, type PipeResource } from '../pipes/pipes.ts';
import { type Arguments, type Found, TEXT } from './arguments.ts';

const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;
const STREAM = text(STREAM_ARN, 'the ARN of a DynamoDB stream, the only source that is read locally');

const FILTER = kind<string>(
  value => value === '{"eventName":["REMOVE"]}',
  '{"eventName":["REMOVE"]}, the only filter that is run locally',
);

const TEMPLATE = kind<string>(value => {
  try {
    return enrichmentInput(String(value), [{}]).length > 0;
  } catch {
    return false;
  }
}, 'JSON with <aws.pipes.event.json> as the only variable');

export function readPipe(args: Arguments, { address }: Found): PipeResource {
  const streamArn = args.get('source', STREAM);
  const source = args.block('source_parameters');
  const stream = source?.block('dynamodb_stream_parameters');
  for (const filter of source?.block('filter_criteria')?.blocks('filter') ?? [])
    filter.get('pattern', FILTER);
  const enrichment = args.block('enrichment_parameters');
  return {
    address,
    name: args.get('name', TEXT),
    tableName: STREAM_ARN.exec(streamArn)?.[1] ?? '',
    enrichmentArn: args.get('enrichment', TEXT),
    inputTemplate: enrichment?.get('input_template', TEMPLATE) ?? '',
    targetArn: args.get('target', TEXT),
    batchSize: stream?.get('batch_size', whole(1, 10_000)) ?? 1,
    startingPosition: stream?.get('starting_position', oneOf(['TRIM_HORIZON', 'LATEST'])) ?? 'LATEST',
  };
}
