import { describeProblem } from '../../expiry/errors.ts';
import { isObject, type Kind, kind, text } from '../../expiry/fields.ts';
import { TerraformError } from '../errors.ts';

export const TEXT = text();

export const TEXTS = kind<readonly string[]>(
  value => Array.isArray(value) && value.every(each => typeof each === 'string'),
  'a list of texts',
);

export interface Found {
  /** The resource's address in Terraform, e.g. `aws_dynamodb_table.sessions`. */
  readonly address: string;
  readonly arn: string;
  readonly region: string;
}

/** Arguments that are allowed in every resource, because they have no local effect. */
const ANYWHERE = ['tags', 'timeouts'];

/** The arguments of a resource or block. `end` refuses the arguments that were not read, except those without a local effect. */
export class Arguments {
  readonly #where: string;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>(ANYWHERE);
  readonly #blocks: [string, Arguments][] = [];

  constructor(where: string, body: Readonly<Record<string, unknown>>) {
    this.#where = where;
    this.#body = body;
  }

  /** Reads a required argument. @throws {TerraformError} for a missing value or a value of another kind */
  get<Value>(name: string, known: Kind<Value>): Value {
    this.#read.add(name);
    const value = this.#body[name];
    if (known.is(value)) return value;
    throw this.problem(name, known.expected);
  }

  find<Value>(name: string, known: Kind<Value>): Value | undefined {
    this.#read.add(name);
    return this.#body[name] === undefined ? undefined : this.get(name, known);
  }

  texts(name: string): Record<string, string> {
    const map = this.find(name, MAP) ?? {};
    return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, String(value)]));
  }

  /** Reads nested blocks. CDKTF writes a single block as an object or as a list. */
  blocks(name: string): readonly Arguments[] {
    const found = [this.find(name, BLOCKS) ?? []].flat() as Readonly<Record<string, unknown>>[];
    return found.map((body, index) => {
      const block = new Arguments(`${this.#where}.${name}${found.length > 1 ? `[${index}]` : ''}`, body);
      this.#blocks.push([name, block]);
      return block;
    });
  }

  block(name: string): Arguments | undefined {
    return this.blocks(name)[0];
  }

  /**
   * Refuses arguments that were not read. @param withoutEffect names of arguments that are allowed, separated by spaces; an argument of a
   * block is `block.argument`
   */
  end(withoutEffect = ''): void {
    const names = withoutEffect.split(' ');
    const [left] = Object.keys(this.#body).filter(name => !this.#read.has(name) && !names.includes(name));
    if (left !== undefined) {
      const expected = 'no argument that does something on AWS and nothing on this machine';
      throw this.problem(
        left,
        expected,
        'Leave it out of overrides of the configuration for runs on this machine.',
      );
    }
    for (const [name, block] of this.#blocks) {
      const within = names.filter(each => each.startsWith(`${name}.`));
      block.end(within.map(each => each.slice(name.length + 1)).join(' '));
    }
  }

  problem(
    field: string,
    expected: string,
    remedy = 'Correct it in overrides of the configuration.',
  ): TerraformError {
    const got = this.#body[field];
    return new TerraformError([describeProblem({ field: `${this.#where}.${field}`, expected, got, remedy })]);
  }
}

const MAP = kind<Readonly<Record<string, unknown>>>(
  value => isObject(value) && Object.values(value).every(each => typeof each !== 'object'),
  'texts by their names',
);

const BLOCKS = kind<object | readonly object[]>(
  value => [value].flat().every(isObject),
  'a block, or a list of them',
);
