import { describeProblem, type FieldProblem, PreciseTtlError } from '../../expiry/errors.ts';
import {
  isObject,
  type Kind,
  kind,
  objectProblems,
  text,
  under,
  unknownFieldProblems,
  valueProblems,
} from '../../expiry/fields.ts';
import { deploymentProblems } from './deployments.ts';
import { propProblems } from './prop-problems.ts';
import {
  CORRECT,
  DEPLOYMENT_PROPS,
  type DeploymentProps,
  PROPS,
  type PreciseTtlProps,
  resolveProps,
  WRITTEN_NAMES,
  withShared,
} from './props.ts';
import { isReference } from './terraform-text.ts';

export const DEFAULT_STATE_KEY = 'precise-ttl/terraform.tfstate';

/**
 * Terraform's backend for the state, and settings under Terraform's names. `local`, the default, is a file in the project's folder. `s3`
 * needs an existing `bucket`.
 */
export interface State {
  readonly backend: 'local' | 's3' | (string & {});
  readonly [setting: string]: unknown;
}

export type Overrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Content of `precise-ttl.config.ts`. All tables share one deployment, and a prop beside `tables` applies to all tables. */
export interface DeploymentConfig extends DeploymentProps {
  readonly region: string;
  readonly state?: State;
  /**
   * Arguments of Terraform's AWS provider, under Terraform's names, e.g. `profile`, `assume_role` or `allowed_account_ids`.
   * @default none: the provider finds AWS credentials in the usual places
   */
  readonly provider?: Readonly<Record<string, unknown>>;
  /**
   * Arguments to set on resources: `{ aws_lambda_function: { reserved_concurrent_executions: 50 } }`. The key names a type of resources, or
   * one resource: by `type.name` with its name in AWS, or by its address in Terraform.
   * @default none
   */
  readonly overrides?: Overrides;
  /** Tags on all resources that can have tags. @default none */
  readonly tags?: Readonly<Record<string, string>>;
  readonly tables: readonly PreciseTtlProps[];
}

/** Returns the configuration unchanged: the call lets TypeScript check the types. {@link checkConfig} checks the values. */
export function defineConfig(config: DeploymentConfig): DeploymentConfig {
  return config;
}

export class InvalidConfigError extends PreciseTtlError {
  override readonly name = 'InvalidConfigError';
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(
      `The configuration is wrong:\n${problems.map(problem => `  ${describeProblem(problem)}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

const SEE_DOCS = 'See docs/reference/configuration.md of precise-ttl for all fields.';

export const REGION = /^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/;

const AWS_REGION = text(REGION, "an AWS region, e.g. 'eu-central-1'");

const BACKEND = text(/^[a-z][a-z0-9_]*$/, "the name of a backend of Terraform, e.g. 's3'");

const STATE: Kind<State> = kind(
  value => isObject(value) && BACKEND.is(value['backend']),
  "{ backend: 'local' }, { backend: 's3', bucket: … }, or { backend: 'gcs' | 'http' | …, … } with the settings that Terraform's backend has",
  { remedy: () => SEE_DOCS, inside: state => plainProblems(state) },
);

/** Checks only the types of the values: Terraform alone knows the arguments of a backend, a provider or a resource. */
function plainProblems(values: Readonly<Record<string, unknown>>): FieldProblem[] {
  return Object.entries(values).flatMap(([field, got]) => valueProblems(field, PLAIN, got, CORRECT));
}

const PLAIN = kind(isPlain, 'a text, a number, true, false, or lists and objects of these');

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return Array.from(value).every(isPlain);
  if (isObject(value)) return Object.values(value).every(isPlain);
  return ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

/** The name of an argument, without a dot: with `lifecycle.prevent_destroy` a user could change what META_ARGUMENT protects. */
const ARGUMENT = /^[a-z][a-z0-9_]*$/;

function argumentProblems(
  given: Readonly<Record<string, unknown>>,
  isOurs: (argument: string) => boolean,
  expected: string,
  remedy: string,
): FieldProblem[] {
  const wrongly = Object.keys(given).filter(each => !ARGUMENT.test(each) || isOurs(each));
  return wrongly.map(field => ({ field, expected, got: given[field], remedy }));
}

const OWN_ARGUMENTS = ['region', 'default_tags'];

const PROVIDER: Kind<Readonly<Record<string, unknown>>> = kind(
  isObject,
  "{ profile: 'production' }: arguments of Terraform's AWS provider",
  {
    remedy: () => SEE_DOCS,
    inside: provider => [
      ...argumentProblems(
        provider,
        argument => OWN_ARGUMENTS.includes(argument),
        "an argument of Terraform's AWS provider, which is neither region nor default_tags",
        'Leave it out: region and tags stand beside provider.',
      ),
      ...plainProblems(provider),
    ],
  },
);

/** Terraform's meta-arguments, which `overrides` cannot set: `lifecycle`, for example, protects the resources that hold data. */
const META_ARGUMENT = /^(connection|count|depends_on|for_each|lifecycle|provider|provisioner)$/;

/** Arguments that name a resource. `overrides` cannot set them: alarms, commands and other resources find a resource by its name. */
export const NAME_ARGUMENT = /^(name|name_prefix|(alarm|dashboard|function|group)_name|bucket)$/;

const OVERRIDES: Kind<Overrides> = kind(
  value => isObject(value) && Object.values(value).every(isObject),
  '{ aws_lambda_function: { reserved_concurrent_executions: 50 } }: arguments by type of resource, with the name of one after a dot, or by address',
  {
    remedy: () => SEE_DOCS,
    inside: overrides =>
      Object.entries(overrides).flatMap(([resources, given]) =>
        under(resources, [
          ...argumentProblems(
            given,
            argument => META_ARGUMENT.test(argument) || NAME_ARGUMENT.test(argument),
            'an argument that is neither a name nor one of Terraform itself',
            'Leave it out: what is deployed is found by its names, and kept by its lifecycle.',
          ),
          ...plainProblems(given),
        ]),
      ),
  },
);

/**
 * Key or value of a tag: the characters that IAM accepts (IAM API reference, Tag), because the other services accept these, too. An empty
 * value is refused, because EventBridge Scheduler refuses it.
 */
const TAG = /^(?!aws:)(?!__proto__)[\p{L}\p{Z}\p{N}_.:/=+\-@]+$/iu;

const isTag = (value: unknown, most: number) =>
  typeof value === 'string' && TAG.test(value) && value.length <= most;

const TAGS: Kind<Readonly<Record<string, string>>> = kind(
  isObject,
  "an object of texts, e.g. { team: 'sessions' }",
  {
    remedy: () => SEE_DOCS,
    inside: tags =>
      Object.entries<unknown>(tags)
        .filter(([key, tag]) => !isTag(key, 128) || !isTag(tag, 256))
        .map(([key, got]) => ({
          field: `[${JSON.stringify(key)}]`,
          expected:
            'a key of 1 to 128 and a text of 1 to 256 letters, digits, blanks and _ . : / = + - @, neither beginning with aws:',
          got,
          remedy: 'Correct it: AWS refuses another tag after half of the deployment is made.',
        })),
  },
);

const TABLE: Kind<PreciseTtlProps> = kind(isObject, 'an object', {
  inside: table => [...unknownFieldProblems(table, WRITTEN_NAMES), ...propProblems(table)],
});

const TABLES: Kind<readonly PreciseTtlProps[]> = kind(
  value => Array.isArray(value) && value.length > 0,
  'a list of at least one table',
  {
    remedy: () => SEE_DOCS,
    // `flatMap` would skip a hole in the list. `Array.from` makes the hole undefined, and undefined is refused.
    inside: tables =>
      Array.from(tables).flatMap((table, index) => valueProblems(`[${index}]`, TABLE, table, SEE_DOCS)),
  },
);

export const CONFIG_KINDS = {
  region: AWS_REGION,
  state: STATE,
  provider: PROVIDER,
  overrides: OVERRIDES,
  tags: TAGS,
  tables: TABLES,
} satisfies {
  readonly [Name in Exclude<keyof DeploymentConfig, keyof DeploymentProps>]-?: Kind<
    Required<DeploymentConfig>[Name]
  >;
};

const DEPLOYMENT_KINDS = Object.fromEntries(DEPLOYMENT_PROPS.map(prop => [prop, PROPS[prop].kind]));

/**
 * Checks a configuration, and returns it with the DEPLOYMENT_PROPS beside `tables` copied into each table that lacks them.
 * @throws InvalidConfigError with each problem's path, e.g. `tables[0].granularityMinutes`
 */
export function checkConfig(config: unknown): DeploymentConfig {
  if (!isObject(config)) throw new InvalidConfigError([wrong('config', 'an object', config)]);
  const options = { required: ['region', 'tables'], remedy: CORRECT };
  refuse(objectProblems({ ...CONFIG_KINDS, ...DEPLOYMENT_KINDS }, config, options));
  const given = config as unknown as DeploymentConfig;
  const tables = given.tables.map(table => withShared(table, given));
  refuse([
    ...deploymentProblems(tables.map(resolveProps)),
    ...tables.flatMap((table, index) => under(`tables[${index}]`, otherRegionProblems(table, given.region))),
  ]);
  return { ...given, tables };
}

export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

/** Refuses ARNs of other regions: keys, the alarms' topic and the targets of events must be in the region of the deployment. */
function otherRegionProblems(table: PreciseTtlProps, region: string): FieldProblem[] {
  const { events, kmsKeyArn, tableKmsKeyArn, alarms } = table;
  const targets = [events?.to ?? []].flat().map(to => ['events.to', to] as const);
  const arns = [...targets, ...Object.entries({ kmsKeyArn, tableKmsKeyArn, alarms })];
  return arns.flatMap(([field, arn]: readonly [string, unknown]) =>
    typeof arn !== 'string' || isReference(arn as unknown) || arn.split(':')[3] === region
      ? []
      : [wrong(field, `an ARN of the region that is deployed to (${region})`, arn)],
  );
}

function wrong(field: string, expected: string, got: unknown): FieldProblem {
  return { field, expected, got, remedy: SEE_DOCS };
}
