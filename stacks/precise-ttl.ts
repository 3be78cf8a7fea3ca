import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import { DefaultTokenResolver, StringConcat, TerraformStack, Tokenization } from 'cdktf';
import { Construct } from 'constructs';
import type { FieldProblem } from '../expiry/errors.ts';
import {
  fieldProblems,
  isObject,
  type Kind,
  kind,
  text,
  under,
  unknownFieldProblems,
  valueProblems,
} from '../expiry/fields.ts';
import { SETTING_KINDS } from '../functions/runtime/environment.ts';
import { refuse } from './config/config.ts';
import { deploymentProblems } from './config/deployments.ts';
import { constructId } from './config/names.ts';
import { propProblems } from './config/prop-problems.ts';
import {
  CORRECT,
  DEFAULT_DEPLOYMENT,
  DEPLOYMENT_PROPS,
  type DeploymentProps,
  type PreciseTtlProps,
  resolveProps,
  tablePrefix,
  WRITTEN_NAMES,
  withShared,
} from './config/props.ts';
import { isReference, orReference } from './config/terraform-text.ts';
import { DeployedSweep } from './parts/deployed-sweep.ts';
import { Place } from './parts/place.ts';
import { SweptTable, type TableReference } from './parts/swept-table.ts';

/**
 * A construct for a user's stack: the sweep of one or several tables. Its resources are public, so that the stack can set arguments for
 * which there is no prop, e.g. with `functions.DeleteChunk.function.addOverride(…)`.
 */
export class PreciseTtl extends DeployedSweep {
  /** @throws InvalidConfigError naming the wrong props */
  constructor(parent: Construct, id: string, props: ConstructProps) {
    super(parent, id, scope => {
      const tables = resolveConstruct(scope, props);
      const place = new Place(scope, 'place');
      return {
        place,
        tables: tables.map(
          ({ id, props, given }) =>
            new SweptTable(new Construct(scope, constructId(id, 'construct')), place, props, given),
        ),
      };
    });
    refuseTwins(this);
  }
}

/** Refuses a deployment with a role whose name another role of the stack has. As in IAM, upper and lower case are the same. */
function refuseTwins(own: PreciseTtl): void {
  const rolesIn = (scope: Construct) =>
    scope.node
      .findAll()
      .flatMap(each => (each instanceof IamRole ? [String(each.nameInput).toLowerCase()] : []));
  const names = rolesIn(own);
  const all = rolesIn(TerraformStack.of(own));
  const twin = names.find(name => all.indexOf(name) !== all.lastIndexOf(name));
  if (twin === undefined) return;
  const expected = 'a name with which no role of the deployment has that of another in this stack';
  const remedy = `Give one of them another deployment: two would have the role ${twin}.`;
  refuse([{ field: 'deployment', expected, got: own.deployment.name, remedy }]);
}

const OF_OUR_TABLE = ['tableName', 'existingTable'] as const;

/** Props of one table that is made elsewhere, not by `PreciseTtl`. */
export type SweptTableProps = Omit<PreciseTtlProps, (typeof OF_OUR_TABLE)[number]> & {
  /**
   * The table, e.g. a `DynamodbTable`. Its fields may be tokens. The user's stack must add the sweep's index and native TTL: a deployment
   * does not check this.
   */
  readonly table: TableReference;
} & { readonly [Name in (typeof OF_OUR_TABLE)[number]]?: never };

type TableProps = (PreciseTtlProps & { readonly table?: never }) | SweptTableProps;

interface TablesProps extends DeploymentProps {
  readonly tables: readonly TableProps[];
}

/** Props of one table, or `tables`. Without `tables`, the deployment's default name is made of the table's name: `precise-ttl-orders`. */
export type ConstructProps = TableProps | TablesProps;

type ResolvedTable = ReturnType<typeof resolveTable>;

const STREAM_ARN = /^arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+\/stream\/[0-9T:.-]+$/;

const REFERENCE_KINDS = {
  name: orReference(SETTING_KINDS.tableName),
  arn: orReference(
    text(/^arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+$/, 'the ARN of a DynamoDB table'),
  ),
  streamArn: orReference(text(STREAM_ARN, "the ARN of the table's stream")),
} satisfies { readonly [Name in keyof TableReference]-?: Kind<string> };

const TABLE_REFERENCE: Kind<TableReference> = kind(isObject, '{ name, arn } of a table, and its streamArn', {
  // Further fields are accepted, because a `DynamodbTable` has many more fields than these.
  inside: table =>
    fieldProblems(REFERENCE_KINDS, table, {
      required: ['name', 'arn'],
      remedy: CORRECT,
    }),
});

const TABLES = kind<readonly object[]>(
  value => Array.isArray(value) && value.length > 0 && Array.from(value).every(isObject),
  'a list of at least one table',
);

function resolveConstruct(scope: Construct, props: ConstructProps): ResolvedTable[] {
  if (!('tables' in props)) {
    refuse(tableProblems(props));
    const only = resolveTable(scope, props);
    const name = props.deployment ?? only.props.name;
    return [{ ...only, props: { ...only.props, deployment: name, name } }];
  }
  refuse([
    ...unknownFieldProblems(props, ['tables', ...DEPLOYMENT_PROPS]),
    ...valueProblems('tables', TABLES, props.tables, CORRECT),
  ]);
  const tables = props.tables.map(table =>
    withShared(withShared(table, props), { deployment: DEFAULT_DEPLOYMENT }),
  );
  refuse(tables.flatMap((table, index) => under(`tables[${index}]`, tableProblems(table))));
  const resolved = tables.map(table => resolveTable(scope, table));
  refuse(deploymentProblems(resolved.map(table => table.props)));
  return resolved;
}

function tableProblems(props: TableProps): FieldProblem[] {
  const { table, ...sweep } = props;
  const unknown = unknownFieldProblems(props, [...WRITTEN_NAMES, 'table']);
  if (unknown.length > 0) return unknown;
  const problem = (field: string, expected: string, got: unknown, remedy: string) => [
    { field, expected, got, remedy },
  ];
  if (table === undefined) {
    if (!isReference(sweep.tableName)) return propProblems(sweep as PreciseTtlProps);
    const remedy = 'Pass table: { name, arn } instead, for a table of the same stack.';
    return problem(
      'tableName',
      'a name that is known when the stack is synthesized',
      sweep.tableName,
      remedy,
    );
  }
  const given = OF_OUR_TABLE.filter(field => props[field] !== undefined).flatMap(field => {
    const remedy = 'Leave it out: the table is made elsewhere. Or leave out table.';
    return problem(field, 'nothing beside table', props[field], remedy);
  });
  const remedy = 'Pass those of the table that is to be swept.';
  const problems = [...valueProblems('table', TABLE_REFERENCE, table, remedy), ...given];
  if (problems.length > 0) return problems;
  const reader = (['archive', 'events'] as const).find(prop => Boolean(sweep[prop]));
  if (reader !== undefined && table.streamArn === undefined) {
    const expected = `the ARN of the table's stream, with old images, because of ${reader}`;
    const remedy =
      'Add the field: streamArn of the table that is to be swept. Give that stream_enabled and a view with old images.';
    return problem('table.streamArn', expected, undefined, remedy);
  }
  if (!isReference(table.name)) return propProblems({ ...sweep, tableName: table.name });
  if (sweep.deployment === undefined) {
    const expected = 'a name for the deployment, since the name of the table is known to Terraform only';
    return problem('deployment', expected, undefined, 'Add the field.');
  }
  return propProblems({ ...sweep, tableName: 'of-terraform' });
}

function resolveTable(scope: Construct, { table: given, ...table }: TableProps) {
  const props = resolveProps(
    given === undefined ? (table as PreciseTtlProps) : { ...table, tableName: given.name },
  );
  if (!isReference(props.tableName)) return { id: props.tableName, props, given };
  const resolver = new DefaultTokenResolver(new StringConcat());
  const reference = Tokenization.resolve(props.tableName, { scope, resolver, preparing: false });
  const name = tablePrefix(props.deployment, labelOf(reference));
  return { id: name, props: { ...props, name }, given };
}

/** The label in a reference to a table, e.g. `a` in `${aws_dynamodb_table.a.name}`; any other reference is returned as it is. */
function labelOf(reference: string): string {
  return /^\$\{(?:data\.)?aws_dynamodb_table\.([\w-]+)\.\w+\}$/.exec(reference)?.[1] ?? reference;
}
