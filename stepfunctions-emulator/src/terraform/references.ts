import { isObject } from '../interpreter/json.ts';
import { functionArn, PLACE, ROLE_ARN, stateMachineArn } from '../made-up.ts';

/** Parsed Terraform JSON. */
export type TerraformJson = Readonly<Record<string, unknown>>;

/** Calculates an attribute that AWS sets, from the resource's arguments. */
type Computed = (argument: (name: string) => string) => string;

const lambdaArn: Computed = argument => functionArn(argument('function_name'));
const machineArn: Computed = argument => stateMachineArn(argument('name'));

/** Attributes that are not arguments. All others must be given: a made-up value could be taken for a real one. */
const COMPUTED: Readonly<Record<string, Computed>> = {
  'aws_lambda_function.arn': lambdaArn,
  'aws_lambda_function.id': argument => argument('function_name'),
  'aws_lambda_function.qualified_arn': argument => `${lambdaArn(argument)}:1`,
  'aws_lambda_function.version': () => '1',
  'aws_lambda_alias.arn': argument => {
    const name = argument('function_name');
    return `${name.startsWith('arn:') ? name : functionArn(name)}:${argument('name')}`;
  },
  'aws_iam_role.arn': () => ROLE_ARN,
  'aws_sfn_state_machine.arn': machineArn,
  'aws_sfn_state_machine.id': machineArn,
  'data.aws_caller_identity.account_id': () => PLACE.account,
  'data.aws_caller_identity.id': () => PLACE.account,
  'data.aws_partition.partition': () => PLACE.partition,
  'data.aws_partition.id': () => PLACE.partition,
  'data.aws_region.id': () => PLACE.region,
  'data.aws_region.name': () => PLACE.region,
  'data.aws_region.region': () => PLACE.region,
};

const NAME = '[A-Za-z_][\\w-]*';
const PLAIN = new RegExp(`^(?:(data)\\.)?(${NAME})\\.(${NAME})(?:\\.(${NAME}))?$`);
/** Matches an escaped brace, a reference or directive without braces inside, or the beginning of any other one. */
const TEMPLATE = /\$\$\{|%%\{|\$\{([^{}]*)\}|\$\{|%\{/g;

/** Replaces the references in the strings of one Terraform document. */
export class References {
  readonly #document: TerraformJson;
  readonly #given: Readonly<Record<string, string>>;
  readonly #refuse: (reference: string, why: string) => Error;

  /**
   * @param given values by reference, without `${` and `}`; they come before what is in the document
   * @param refuse makes the error about a reference that can't be resolved
   */
  constructor(
    document: TerraformJson,
    given: Readonly<Record<string, string>>,
    refuse: (reference: string, why: string) => Error,
  ) {
    this.#document = document;
    this.#given = given;
    this.#refuse = refuse;
  }

  /** @param inside references that are being resolved, to notice when one leads back to itself */
  resolve(text: string, inside: readonly string[] = []): string {
    return text.replace(TEMPLATE, (match, expression?: string) => {
      if (match === '$${' || match === '%%{') return match.slice(1);
      if (expression === undefined) throw this.#refuse(`${match}…`, 'only plain references are understood');
      return this.#valueOf(expression.trim(), inside);
    });
  }

  #valueOf(reference: string, inside: readonly string[]): string {
    const given = this.#given[reference];
    if (given !== undefined) return given;
    if (inside.includes(reference)) throw this.#refuse(reference, 'it leads back to itself');
    const found = this.#find(reference, [...inside, reference]);
    if (found === undefined) throw this.#refuse(reference, 'its value is not in the document');
    return found;
  }

  #find(reference: string, inside: readonly string[]): string | undefined {
    const [, data, type = '', name = '', attribute] = PLAIN.exec(reference) ?? [];
    if (type === 'var') return this.#literal(member(this.#document, 'variable', name, 'default'), inside);
    if (type === 'local') return this.#literal(member(this.#document, 'locals', name), inside);
    if (attribute === undefined) return undefined;
    const body = member(this.#document, data ?? 'resource', type, name);
    if (!isObject(body)) return undefined;
    const own = this.#literal(body[attribute], inside);
    if (own !== undefined) return own;
    const computed = COMPUTED[`${data === undefined ? '' : 'data.'}${type}.${attribute}`];
    return computed?.(argument => {
      const value = this.#literal(body[argument], inside);
      if (value === undefined) throw this.#refuse(reference, `${type}.${name} has no ${argument}`);
      return value;
    });
  }

  #literal(value: unknown, inside: readonly string[]): string | undefined {
    if (typeof value === 'string') return this.resolve(value, inside);
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  }
}

/** Returns the value under these keys; repeatable blocks of Terraform may be lists. */
function member(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    const blocks = Array.isArray(at) ? at : [at];
    at = blocks.find(block => isObject(block) && Object.hasOwn(block, key))?.[key];
  }
  return Array.isArray(at) && at.length === 1 ? at[0] : at;
}
