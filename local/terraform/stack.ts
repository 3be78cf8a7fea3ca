import {
  computedAttribute,
  defaultArgument,
  isKnownDataSource,
  type Place,
  policyDocument,
} from './computed.ts';
import { describe, isObject, type Json, type JsonObject } from './json.ts';
import { parseTemplate, type Reference, TemplateError } from './template.ts';

/** A resource or data source with every reference replaced by its value. */
export interface ResolvedBlock {
  readonly stack: string;
  readonly kind: 'resource' | 'data';
  readonly type: string;
  readonly name: string;
  /** `aws_lambda_function.plan` or `data.aws_region.current`. */
  readonly address: string;
  readonly body: JsonObject;
  readonly place: Place;
}

export interface ResolvedStack {
  readonly blocks: readonly ResolvedBlock[];
  readonly outputs: Readonly<Record<string, Json>>;
}

// `import`, `moved` and `removed` are about a state, and there is none here. What is in a module, local/terraform/modules.ts looks at.
const ROOT_KEYS = new Set([
  '//',
  'data',
  'output',
  'provider',
  'resource',
  'terraform',
  'module',
  'moved',
  'removed',
  'import',
]);
// Meta-arguments that make several resources of one, or run programs: nothing here would be true after them.
const REFUSED_META = ['count', 'for_each', 'dynamic', 'provisioner', 'connection'];

class Unresolvable extends Error {}

/**
 * Resolves one stack of `cdktf.out` as Terraform would after an apply: references to attributes that are
 * written in the stack get that value, and those that AWS assigns (ARNs, URLs) get the value AWS would give.
 *
 * @param document the parsed `cdk.tf.json`
 * @param problems gets a sentence for everything that can't be resolved; the caller decides when to throw
 */
export function resolveStack(
  stack: string,
  document: unknown,
  place: Place,
  problems: string[],
): ResolvedStack {
  if (!isObject(document)) {
    problems.push(`${stack}: expected a JSON object, got ${describe(document)}; synthesize again`);
    return { blocks: [], outputs: {} };
  }
  for (const key of Object.keys(document)) {
    if (!ROOT_KEYS.has(key) && !isEmpty(document[key])) {
      problems.push(
        `${stack}: "${key}" at the top: only ${[...ROOT_KEYS].slice(1).join(', ')} are understood; remove it from the CDKTF app`,
      );
    }
  }
  return new StackResolver(stack, document, place, problems).resolve();
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** The one function that is evaluated here: when it is applied. */
const NOW = `\${timestamp()}`;

class StackResolver {
  readonly #stack: string;
  readonly #document: JsonObject;
  readonly #place: Place;
  readonly #problems: string[];
  /** References being resolved, to see a cycle before the stack overflows. */
  readonly #open: string[] = [];

  constructor(stack: string, document: JsonObject, place: Place, problems: string[]) {
    this.#stack = stack;
    this.#document = document;
    this.#place = place;
    this.#problems = problems;
  }

  resolve(): ResolvedStack {
    const blocks: ResolvedBlock[] = [];
    for (const kind of ['resource', 'data'] as const) {
      for (const [type, named] of entries(this.#document[kind])) {
        if (kind === 'data' && !isKnownDataSource(type)) {
          this.#problems.push(
            `${this.#stack}: data.${type}: this data source isn't known to the local runner; remove it from the ` +
              'CDKTF app or teach local/terraform/computed.ts its attributes',
          );
          continue;
        }
        for (const [name, raw] of entries(named)) {
          const address = `${kind === 'data' ? 'data.' : ''}${type}.${name}`;
          if (!isObject(raw)) {
            this.#problems.push(`${this.#stack}: ${address}: expected one JSON object, got ${describe(raw)}`);
            continue;
          }
          this.#refuseMeta(address, raw);
          const { lifecycle, ...rest } = raw;
          // Not resolved: its conditions are for Terraform to judge at an apply; nothing here reads them.
          const body = {
            ...this.#resolveObject(rest, address),
            ...(lifecycle === undefined ? {} : { lifecycle }),
          };
          blocks.push({
            stack: this.#stack,
            kind,
            type,
            name,
            address,
            body,
            place: this.#placeOf(body),
          });
        }
      }
    }
    const outputs: Record<string, Json> = {};
    for (const [name, output] of entries(this.#document['output'])) {
      if (isObject(output) && output['value'] !== undefined) {
        outputs[name] = this.#resolveReported(output['value'], `output.${name}.value`);
      }
    }
    return { blocks, outputs };
  }

  #refuseMeta(address: string, raw: JsonObject): void {
    for (const key of REFUSED_META) {
      if (!isEmpty(raw[key])) {
        this.#problems.push(
          `${this.#stack}: ${address}.${key}: expected none, got ${describe(raw[key])}; write the resources out one by one in the CDKTF app`,
        );
      }
    }
    const provider = raw['provider'];
    if (typeof provider === 'string' && provider.includes('.')) {
      this.#problems.push(
        `${this.#stack}: ${address}.provider: expected the stack's one provider, got the alias "${provider}"; use one stack per region`,
      );
    }
  }

  /** Resolves an object key by key, reporting each value that can't be resolved and leaving it out. */
  #resolveObject(raw: JsonObject, where: string): JsonObject {
    const body: Record<string, Json> = {};
    for (const [key, value] of Object.entries(raw)) {
      if (key === '//') continue;
      body[key] = this.#resolveReported(value, `${where}.${key}`);
    }
    return body;
  }

  #resolveReported(value: Json, where: string): Json {
    if (isObject(value)) {
      this.#refuseExpressionKeys(value, where);
      return this.#resolveObject(value, where);
    }
    if (Array.isArray(value))
      return value.map((item, index) => this.#resolveReported(item, `${where}[${index}]`));
    try {
      return this.#resolveValue(value);
    } catch (error) {
      if (!(error instanceof Unresolvable || error instanceof TemplateError)) throw error;
      this.#problems.push(`${this.#stack}: ${where} ${error.message}`);
      return null;
    }
  }

  #refuseExpressionKeys(value: JsonObject, where: string): void {
    for (const key of Object.keys(value)) {
      if (/[$%]\{/.test(key)) {
        this.#problems.push(
          `${this.#stack}: ${where} has the expression "${key}" as a key: expected a literal key`,
        );
      }
    }
  }

  #resolveValue(value: Json): Json {
    if (typeof value === 'string') return this.#resolveString(value);
    if (Array.isArray(value)) return value.map(item => this.#resolveValue(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== '//')
        .map(([key, item]) => [key, this.#resolveValue(item)]),
    );
  }

  #resolveString(text: string): Json {
    if (text === NOW) return this.#place.deployedAt;
    const parts = parseTemplate(text);
    const [first] = parts;
    // A string that is one reference and nothing else keeps the type of what it refers to.
    if (parts.length === 1 && first !== undefined && typeof first !== 'string') return this.#lookUp(first);
    return parts
      .map(part => {
        if (typeof part === 'string') return part;
        const value = this.#lookUp(part);
        if (typeof value === 'object') {
          throw new Unresolvable(
            `puts \${${part.text}} into a string: expected a string, number or boolean, got ${describe(value)}`,
          );
        }
        return String(value);
      })
      .join('');
  }

  #lookUp(reference: Reference): Json {
    const { kind, type, name, attribute, text } = reference;
    const raw = member(member(member(this.#document, kind), type), name);
    if (!isObject(raw)) {
      throw new Unresolvable(
        `refers to \${${text}}: there is no ${kind === 'data' ? 'data source' : 'resource'} ${type}.${name} in this stack`,
      );
    }
    if (this.#open.includes(text)) {
      throw new Unresolvable(`refers to itself: ${[...this.#open, text].join(' → ')}`);
    }
    this.#open.push(text);
    try {
      return this.#attribute(reference, raw, attribute);
    } finally {
      this.#open.pop();
    }
  }

  #attribute({ kind, type, text }: Reference, raw: JsonObject, attribute: string): Json {
    if (kind === 'data' && type === 'aws_iam_policy_document' && attribute === 'json') {
      return JSON.stringify(policyDocument(this.#resolveValue(raw) as JsonObject));
    }
    const compute = computedAttribute(kind, type, attribute);
    if (compute !== undefined) {
      const argument = (argumentName: string): string => {
        const value = raw[argumentName] ?? defaultArgument(type, argumentName);
        const resolved = value === undefined ? undefined : this.#resolveValue(value);
        if (typeof resolved !== 'string' || resolved === '') {
          throw new Unresolvable(
            `refers to \${${text}}, which needs ${argumentName} of that ${kind}: expected a non-empty string, got ${describe(resolved)}`,
          );
        }
        return resolved;
      };
      return compute(argument, this.#placeOf(raw), name => raw[name] !== undefined);
    }
    const written = raw[attribute];
    if (written === undefined) {
      throw new Unresolvable(
        `refers to \${${text}}: ${attribute} isn't written on that ${kind} and isn't an attribute the local runner ` +
          'can work out; write the value, or teach it to local/terraform/computed.ts',
      );
    }
    return this.#resolveValue(written);
  }

  /** The AWS provider's version 6 lets each resource name its own region. */
  #placeOf(body: JsonObject): Place {
    const region = body['region'];
    return typeof region === 'string' && !region.includes('${') ? { ...this.#place, region } : this.#place;
  }
}

function entries(value: unknown): [string, Json][] {
  return isObject(value) ? Object.entries(value) : [];
}

function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
