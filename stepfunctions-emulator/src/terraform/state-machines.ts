import type { WorkflowType } from '../interpreter/definition.ts';
import { isObject } from '../interpreter/json.ts';
import { readDocuments, type TerraformDocument } from './documents.ts';
import { TerraformError } from './errors.ts';
import { References } from './references.ts';

export interface TerraformOptions {
  /** The `name` of the state machine, or its name in Terraform. @default the only one */
  readonly name?: string;
  /** Values of references that are not in the configuration: `{ 'aws_sns_topic.alerts.arn': 'arn:…' }`. */
  readonly references?: Readonly<Record<string, string>>;
}

/** An aws_sfn_state_machine, with every reference replaced. */
export interface TerraformStateMachine {
  readonly name: string;
  readonly type: WorkflowType;
  /** Definition in the Amazon States Language, JSON text. */
  readonly definition: string;
}

const TYPE = 'aws_sfn_state_machine';

interface Found {
  readonly document: TerraformDocument;
  readonly address: string;
  /** Name of the resource in Terraform. */
  readonly key: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly references: References;
}

/**
 * Reads one state machine of a Terraform configuration in JSON: from a file, a folder, or CDKTF's output. Functions get made-up ARNs with
 * their real names.
 * @throws {TerraformError}
 */
export function readStateMachine(path: string, options: TerraformOptions = {}): TerraformStateMachine {
  const found = readDocuments(path).flatMap(document => stateMachinesIn(document, options.references ?? {}));
  const { name, body, references, address, document } = choose(found, path, options.name);
  const { definition, type } = body;
  if (typeof definition !== 'string') {
    throw new TerraformError(
      `${document.source}: ${address}.definition: expected JSON text, got ${JSON.stringify(definition)?.slice(0, 80)}`,
    );
  }
  const kind = type === undefined || type === null ? 'STANDARD' : references.resolve(String(type));
  if (kind !== 'STANDARD' && kind !== 'EXPRESS') {
    throw new TerraformError(
      `${document.source}: ${address}.type: expected STANDARD or EXPRESS, got "${kind}"`,
    );
  }
  return { name, type: kind, definition: references.resolve(definition) };
}

function stateMachinesIn(document: TerraformDocument, given: Readonly<Record<string, string>>): Found[] {
  const { resource } = document.content;
  const bodies = isObject(resource) ? resource[TYPE] : undefined;
  return Object.entries(isObject(bodies) ? bodies : {}).map(([key, value]) => {
    const body = (Array.isArray(value) ? value[0] : value) as Found['body'];
    const address = `${TYPE}.${key}`;
    const references = new References(
      document.content,
      given,
      (reference, why) =>
        new TerraformError(
          `${document.source}: ${address} refers to "${reference}", which can't be resolved (${why}); say what it stands ` +
            `for: references: { '${reference}': '…' }`,
        ),
    );
    const name = typeof body['name'] === 'string' ? references.resolve(body['name']) : key;
    return { document, address, key, name, body, references };
  });
}

function choose(found: readonly Found[], path: string, name: string | undefined): Found {
  const wanted = name === undefined ? found : found.filter(one => one.name === name || one.key === name);
  const [only] = wanted;
  if (only !== undefined && wanted.length === 1) return only;
  const names = found.map(one => `"${one.name}"`).join(', ') || 'none';
  if (wanted.length > 1 && name === undefined) {
    throw new TerraformError(
      `${path}: expected one ${TYPE}, got ${names}; say which: name: '${found[0]?.name}'`,
    );
  }
  const expected = name === undefined ? `an ${TYPE}` : `one ${TYPE} of the name "${name}"`;
  throw new TerraformError(`${path}: expected ${expected}, got ${names}`);
}
