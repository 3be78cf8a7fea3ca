import { Token } from 'cdktf';
import type { FieldProblem } from '../expiry/errors.ts';
import { fieldProblems, isObject, type Kind, kind, text, valueProblems } from '../expiry/fields.ts';
import { unknownFieldProblems } from '../expiry/unknown-fields.ts';
import { SETTING_KINDS } from '../functions/runtime/environment.ts';
import type { TableReference } from './parts/expiring-table.ts';
import {
  CORRECT,
  OF_CREATED_TABLES,
  PROP_NAMES,
  type PreciseTtlProps,
  propProblems,
  type ResolvedProps,
  resolveProps,
} from './props.ts';
import { isReference, orReference } from './references.ts';

/** The props that say what becomes of a table of ours, which one of the stack's own is not. */
const OF_OUR_TABLE = ['tableName', 'existingTable', ...OF_CREATED_TABLES] as const;

/** A table that another part of the stack makes, and how its expired items are swept. */
export type SweptTableProps = Omit<PreciseTtlProps, (typeof OF_OUR_TABLE)[number]> & {
  /**
   * Its name and its ARN, which can be tokens: the `DynamodbTable` itself will do. The stack makes its index and turns on its
   * native TTL; nothing checks them.
   */
  readonly table: TableReference;
} & { readonly [Name in (typeof OF_OUR_TABLE)[number]]?: never };

/** Of the construct: the table by its name, or one that another part of the stack makes. */
export type ConstructProps = (PreciseTtlProps & { readonly table?: never }) | SweptTableProps;

const STREAM_ARN = /^arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+\/stream\/[0-9T:.-]+$/;

const REFERENCE_KINDS = {
  name: orReference(SETTING_KINDS.tableName),
  arn: orReference(
    text(/^arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+$/, 'the ARN of a DynamoDB table'),
  ),
  streamArn: orReference(text(STREAM_ARN, "the ARN of the table's stream")),
} satisfies { readonly [Name in keyof TableReference]-?: Kind<string> };

const TABLE_REFERENCE: Kind<TableReference> = kind(isObject, '{ name, arn } of a table, and its streamArn', {
  // A construct has many more fields.
  inside: table =>
    fieldProblems(REFERENCE_KINDS, table, {
      required: ['name', 'arn'],
      remedy: CORRECT,
    }),
});

/** A name that fits every check, in the place of one that only Terraform knows. */
const SOME_NAME = 'table';

/** Everything that is wrong with the props of a construct, which need not have been type-checked; empty when they are good. */
export function constructProblems(props: ConstructProps): FieldProblem[] {
  const unknown = unknownFieldProblems(props, [...PROP_NAMES, 'table']);
  if (unknown.length > 0) return unknown;
  const unresolved = tokenProblems(props);
  if (unresolved.length > 0) return unresolved;
  const { table, ...sweep } = props;
  if (table === undefined) return propProblems(sweep as PreciseTtlProps);
  const problems = [
    ...valueProblems('table', TABLE_REFERENCE, table, 'Pass those of the table that is to be swept.'),
    ...OF_OUR_TABLE.filter(field => props[field] !== undefined).map(field => ({
      field,
      expected: 'nothing beside table',
      got: props[field],
      remedy: 'Leave it out: the table is made elsewhere. Or leave out table.',
    })),
  ];
  if (problems.length > 0) return problems;
  const reader = (['archive', 'events'] as const).find(prop => sweep[prop] !== undefined);
  if (reader !== undefined && table.streamArn === undefined) {
    const expected = `the ARN of the table's stream, with old images, because of ${reader}`;
    const remedy =
      'Add the field: streamArn of the table that is to be swept. Give that stream_enabled and a view with old images.';
    return [{ field: 'table.streamArn', expected, got: undefined, remedy }];
  }
  if (isReference(table.name) && sweep.name === undefined) {
    const expected = 'a name for what is provisioned, since the name of the table is known to Terraform only';
    return [{ field: 'name', expected, got: undefined, remedy: 'Add the field.' }];
  }
  return propProblems({ ...sweep, tableName: isReference(table.name) ? SOME_NAME : table.name });
}

/** What may be a token, or hold some: these go into Terraform's JSON as they are. */
const MAY_BE_TOKENS = [
  'table',
  'tags',
  'permissionsBoundary',
  'rolePath',
  'vpc',
  'kmsKeyArn',
  'tableKmsKeyArn',
  'alarmTopicArn',
  'archive',
  'events',
];

/** The others are needed now, or are escaped on their way, which would make a text of the reference that a token becomes. */
function tokenProblems(props: ConstructProps): FieldProblem[] {
  return Object.entries(props)
    .filter(([field, got]) => !MAY_BE_TOKENS.includes(field) && Token.isUnresolved(got))
    .map(([field, got]) => ({
      field,
      expected: 'a value that is known when the stack is synthesized',
      got,
      remedy:
        field === 'tableName'
          ? 'Pass table: { name, arn } instead, for a table of the same stack.'
          : 'Write it out: a token of a construct is known to Terraform only.',
    }));
}

/** Fills in the defaults. */
export function resolveConstruct({ table, ...sweep }: ConstructProps): ResolvedProps {
  return resolveProps(table === undefined ? (sweep as PreciseTtlProps) : { ...sweep, tableName: table.name });
}
