import type { ItemBatcher, MapMode, State, StateGraph } from '../definition.ts';
import { isCount, isIntegerFrom, isPercentage } from '../field-checks.ts';
import { isObject, type JsonObject } from '../json.ts';
import { LABEL_LENGTH, MAX_BATCH_BYTES } from '../limits.ts';
import {
  AFTER_RESULT,
  BEFORE,
  takeAssign,
  takeCatch,
  takeField,
  takeNext,
  takeRetry,
  takeTemplate,
} from './fields.ts';
import { type LoadContext, loadGraph } from './graph.ts';
import { explainField, FieldReader, quote } from './problems.ts';

/** Reads a Map state of either mode. */
export function loadMap(name: string, reader: FieldReader, context: LoadContext): State {
  const processor = takeProcessor(name, reader, context);
  const items = takeTemplate(reader, 'Items', BEFORE);
  checkItems(reader, processor.mode);
  return {
    type: 'Map',
    name,
    items,
    itemSelector: takeTemplate(reader, 'ItemSelector', BEFORE),
    processor: processor.graph,
    mode: processor.mode,
    maxConcurrency: takeField(reader, 'MaxConcurrency', isCount, 'an integer of at least 0'),
    toleratedFailureCount: takeField(reader, 'ToleratedFailureCount', isCount, 'an integer of at least 0'),
    toleratedFailurePercentage: takeField(
      reader,
      'ToleratedFailurePercentage',
      isPercentage,
      'a number from 0 to 100',
    ),
    output: takeTemplate(reader, 'Output', AFTER_RESULT),
    assign: takeAssign(reader, AFTER_RESULT),
    retry: takeRetry(reader),
    catch: takeCatch(reader),
    next: takeNext(reader),
  };
}

function checkItems(reader: FieldReader, mode: MapMode): void {
  const raw = reader.raw['Items'];
  if (raw === undefined || Array.isArray(raw)) return;
  if (typeof raw === 'string' && raw.startsWith('{%')) return;
  if (isObject(raw) && mode.kind === 'DISTRIBUTED') return;
  const object = mode.kind === 'DISTRIBUTED' ? ', an object' : '';
  reader.problem('Items', `an array${object} or a JSONata expression for it`, quote(raw));
}

function takeProcessor(
  name: string,
  reader: FieldReader,
  context: LoadContext,
): { graph: StateGraph; mode: MapMode } {
  const raw = reader.takeObject('ItemProcessor');
  if (raw === undefined) {
    if (!reader.has('ItemProcessor'))
      reader.problem('ItemProcessor', 'an object with StartAt and States', 'nothing');
    return { graph: { startAt: '', states: new Map() }, mode: takeMode(name, reader, undefined, context) };
  }
  const processor = new FieldReader(raw, reader.at('ItemProcessor'), reader.problems);
  processor.takeString('Comment');
  const config = processor.takeObject('ProcessorConfig');
  const configReader = config && new FieldReader(config, processor.at('ProcessorConfig'), reader.problems);
  const mode = takeMode(name, reader, configReader, context);
  const express = context.express || (mode.kind === 'DISTRIBUTED' && mode.executionType === 'EXPRESS');
  const graph = loadGraph(processor, { ...context, express });
  processor.refuseUnknown('an ItemProcessor', explainField);
  return { graph, mode };
}

function takeMode(
  name: string,
  reader: FieldReader,
  config: FieldReader | undefined,
  context: LoadContext,
): MapMode {
  const kind = config?.takeOneOf('Mode', ['INLINE', 'DISTRIBUTED']) ?? 'INLINE';
  if (kind === 'INLINE') {
    config?.refuseUnknown('the ProcessorConfig of an INLINE Map');
    for (const key of ['Label', 'ItemBatcher']) {
      if (reader.take(key) !== undefined)
        reader.problem(key, 'this field in a DISTRIBUTED Map only', 'an INLINE Map');
    }
    return { kind };
  }
  if (context.express) config?.problem('Mode', 'INLINE inside Express executions', '"DISTRIBUTED"');
  const executionType = config?.takeOneOf('ExecutionType', ['STANDARD', 'EXPRESS']);
  if (config?.has('ExecutionType') === false)
    config.problem('ExecutionType', 'STANDARD or EXPRESS', 'nothing');
  config?.refuseUnknown('a ProcessorConfig');
  return {
    kind,
    executionType: executionType ?? 'STANDARD',
    label: takeLabel(name, reader, context),
    batcher: takeBatcher(reader),
  };
}

function takeLabel(name: string, reader: FieldReader, context: LoadContext): string {
  const label = reader.takeString('Label');
  if (label === undefined) return name.replace(/[^A-Za-z0-9_-]/g, '').slice(0, LABEL_LENGTH) || 'Map';
  if (label.length < 1 || label.length > LABEL_LENGTH) {
    reader.problem('Label', `1 to ${LABEL_LENGTH} characters`, `${label.length} characters`);
  } else if (/[\s?*<>{}[\]:;,\\|^~$#%&`"\p{Cc}/]/u.test(label)) {
    reader.problem('Label', 'no white space, wildcards, brackets or special characters', quote(label));
  }
  const other = context.labels.get(label);
  if (other !== undefined) reader.problem('Label', 'a label that no other Map has', `the label of ${other}`);
  context.labels.set(label, reader.path);
  return label;
}

function takeBatcher(reader: FieldReader): ItemBatcher | undefined {
  const raw: JsonObject | undefined = reader.takeObject('ItemBatcher');
  if (raw === undefined) return undefined;
  const batcher = new FieldReader(raw, reader.at('ItemBatcher'), reader.problems);
  const result = {
    maxItemsPerBatch: takeField(
      batcher,
      'MaxItemsPerBatch',
      isIntegerFrom(1, Number.MAX_SAFE_INTEGER),
      'an integer of at least 1',
      'ItemBatcher/MaxItemsPerBatch',
    ),
    maxInputBytesPerBatch: takeField(
      batcher,
      'MaxInputBytesPerBatch',
      isIntegerFrom(1, MAX_BATCH_BYTES),
      `an integer from 1 to ${MAX_BATCH_BYTES}`,
      'ItemBatcher/MaxInputBytesPerBatch',
    ),
    batchInput: takeTemplate(batcher, 'BatchInput', BEFORE, 'ItemBatcher/BatchInput'),
  };
  if (!batcher.has('MaxItemsPerBatch') && !batcher.has('MaxInputBytesPerBatch')) {
    batcher.problem(undefined, 'MaxItemsPerBatch or MaxInputBytesPerBatch', 'neither');
  }
  batcher.refuseUnknown('an ItemBatcher', explainField);
  return result;
}
