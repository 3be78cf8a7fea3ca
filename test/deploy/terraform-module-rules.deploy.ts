import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ALARM_NAMES, subjectOf, tuningKinds } from '../../config/alarms.ts';
import {
  DEPLOYMENT_PROPS,
  type FlatProps,
  PROPS,
  type PropName,
  propsOfSettings,
} from '../../config/props.ts';
import type { FieldProblem } from '../../expiry/errors.ts';
import { type Kind, type Rule, valueProblems } from '../../expiry/fields.ts';
import { constructProblems, type TablesProps } from '../../stacks/construct-props.ts';
import { tablesLocal } from '../../stacks/terraform-module/module-stack.ts';
import { snake } from '../../stacks/terraform-module/snake.ts';
import { TABLE_PROPS, typeOf } from '../../stacks/terraform-module/variables.ts';
import { writeTerraformModule } from '../../stacks/terraform-module/write.ts';
import { PROP_VALUES } from '../support/any-config.ts';
import { inputsOf } from './support/module-inputs.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

type Values = Readonly<Record<string, unknown>>;

const LONG = 'x'.repeat(600);

/** Names of attributes, of which two tend to be the same. */
const ATTRIBUTES = [
  'id',
  'at',
  'ttl',
  'expirationWindow',
  'a',
  '{% a',
  'a %}',
  '',
  '__proto__',
  'é'.repeat(128),
];

/** Texts that some kind of text takes and others do not. */
const TEXTS = [
  '',
  ' ',
  'a b',
  '/',
  '/a',
  '/a b/',
  'AWS/a',
  ':a',
  LONG,
  `/${LONG}/`,
  'arn:aws:kms:us-east-1:1:key/a',
];

const someIds = (prefix: string) =>
  fc.constantFrom(
    [],
    ['a b'],
    [`${prefix}-0a1b`],
    Array.from({ length: 17 }, (_none, index) => `${prefix}-${index}`),
  );

function atItsEdges({ rule }: { readonly rule?: Rule }): readonly unknown[] {
  if (rule === undefined || 'pattern' in rule) return [];
  if ('values' in rule) return [...rule.values, typeof rule.values[0] === 'number' ? -1 : 'neither'];
  const { least, most } = rule;
  return [least, most, least, most, least + 0.5, least - 1, most + 1];
}

/** Values of a prop, right ones and wrong ones. */
function valuesOf(prop: PropName): fc.Arbitrary<unknown> {
  if (prop === 'vpc') return fc.record({ subnetIds: someIds('subnet'), securityGroupIds: someIds('sg') });
  if (prop === 'alarms') return someAlarms;
  const right: fc.Arbitrary<unknown> = PROP_VALUES[prop];
  if (prop === 'partitionKey' || prop === 'sortKey')
    return fc.oneof(right, fc.constantFrom(...ATTRIBUTES.slice(0, 7)));
  if (prop.endsWith('Attribute')) return fc.oneof(right, fc.constantFrom(...ATTRIBUTES));
  const { kind } = PROPS[prop] as { kind: Kind<unknown> };
  if (prop === 'granularityMinutes') return fc.oneof(right, fc.constantFrom(0, 7, 1439, 2880));
  const isText = typeOf(prop) === 'string' && !(kind.rule && 'values' in kind.rule);
  const edges = isText ? TEXTS : atItsEdges(kind);
  return edges.length === 0 ? right : fc.oneof(right, fc.constantFrom(...edges));
}

const someAlarms = fc.oneof(
  fc.constant(false),
  fc.record(
    Object.fromEntries(
      ALARM_NAMES.filter(alarm => subjectOf(alarm) === undefined).map(alarm => [
        alarm,
        fc.oneof(
          fc.constant(false),
          fc.record(
            Object.fromEntries(
              Object.entries(tuningKinds(alarm)).map(([field, kind]) => [
                field,
                fc.constantFrom(...(atItsEdges(kind) as number[])),
              ]),
            ),
            // Of an alarm of which nothing is set the module does not see that it is named.
            { requiredKeys: ['periods'] },
          ),
        ),
      ]),
    ),
    { requiredKeys: [] },
  ),
);

/** Some of the props. Most sets have only values that are right by themselves, and so break only what is between several. */
function someOf(props: readonly PropName[], maxLength: number): fc.Arbitrary<Values> {
  return fc
    .tuple(fc.subarray([...props], { maxLength }), fc.integer({ min: 1, max: 4 }))
    .chain(([names, one]) =>
      fc.record(
        Object.fromEntries(
          names.map(name => [name, one === 1 ? valuesOf(name) : valuesOf(name).filter(isRight(name))]),
        ),
      ),
    );
}

function isRight(prop: PropName): (value: unknown) => boolean {
  return value => valueProblems(prop, PROPS[prop].kind, value, '').length === 0;
}

const BY_ID = { partitionKey: 'own' };
const ARN = 'arn:aws:dynamodb:us-east-1:123456789012:table/Sessions';

/** Where events go is an object of its own in the module: what it refuses of them is tested with it. */
const OF_TABLE = ['sortKey', ...TABLE_PROPS.filter(prop => prop !== 'archive' && prop !== 'events')] as const;
const OF_DEPLOYMENT = DEPLOYMENT_PROPS.filter(prop => prop !== 'roleArns');

const anyProps = fc
  .tuple(
    valuesOf('partitionKey'),
    someOf(OF_TABLE, 6),
    fc.oneof(someOf(OF_DEPLOYMENT, 3), someOf(['metrics', 'alarms'], 2)),
  )
  // DynamoDB makes no such table.
  .filter(([partitionKey, { sortKey }]) => partitionKey !== sortKey)
  .map(([partitionKey, table, shared]) => {
    const settings = { ...table, partitionKey } as unknown as FlatProps;
    const only = { ...propsOfSettings(settings), table: { name: 'Sessions', arn: ARN } };
    return { ...shared, tables: [only] } as unknown as TablesProps;
  });

/** So many draws make every rule be broken a few times, and so many are judged of each rule, and of what breaks none. */
const DRAWS = 30_000;
const OF_EACH = 2;
const RIGHT = 60;

/** Sets that break none of the construct's rules or one, and of each rule some. Nobody lists the rules: one that is new is drawn, too. */
function variedSets(): readonly TablesProps[] {
  const seen = new Map<string, number>();
  return fc.sample(anyProps, { numRuns: DRAWS, seed: 1 }).filter(props => {
    const [first, ...others] = constructProblems(props);
    if (others.length > 0 || (first !== undefined && constructProblems(without(props, first)).length > 0))
      return false;
    const rule = first === undefined ? '' : `${first.field} ${first.expected}`.replaceAll(/\d+/g, '');
    const count = seen.get(rule) ?? 0;
    seen.set(rule, count + 1);
    return count < (first === undefined ? RIGHT : OF_EACH);
  });
}

/** What a construct says of one prop can hide what is wrong with others, which it looks at later. */
function without({ tables: [table], ...shared }: TablesProps, { field }: FieldProblem): TablesProps {
  const prop = field.replace('tables[0].', '').replace(/[.[].*/, '');
  const left = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name !== prop));
  const only = { ...BY_ID, ...left(table as object) };
  return { ...left(shared), tables: [only] } as unknown as TablesProps;
}

const OTHER_FIELDS: Readonly<Record<string, string>> = {
  alarm_topic_arn: 'alarm_topic.arn',
  // The module has no short form of it.
  hold: 'hold.attribute',
};

/** A field of the construct as the module calls it. */
function fieldInModule(field: string): string {
  const name = snake(field.replace(/^tables\[\d+\]\./, '').replaceAll(/\[\d+\]/g, ''));
  return OTHER_FIELDS[name] ?? name;
}

/** What the state machine of the ticks asks, without anything that is deployed. Terraform does not say of which module a condition is. */
const JUDGE = `locals {
  tables = ${tablesLocal()}
}

resource "terraform_data" "judge" {
  lifecycle {
    precondition {
      condition     = length(local.broken_rules) == 0
      error_message = join("\\n", formatlist("\${var.name} %s", local.broken_rules))
    }
  }
}
`;

interface Diagnostic {
  readonly severity: string;
  readonly detail: string;
  readonly range?: { readonly filename: string };
}

interface Said {
  readonly diagnostics?: readonly Diagnostic[];
  readonly diagnostic?: Diagnostic;
}

describeWithTerraform('the rules of the Terraform module', () => {
  let aws: EmulatedAws;
  let root: TerraformRoot;
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-rules-'));

  beforeAll(async () => {
    aws = await startEmulatedAws();
    writeTerraformModule(join(folder, 'whole'));
    for (const each of ['rules', 'root']) mkdirSync(join(folder, each));
    for (const file of ['variables.tf', 'rules.tf'])
      copyFileSync(join(folder, 'whole', file), join(folder, 'rules', file));
    writeFileSync(join(folder, 'rules/judge.tf'), JUDGE);
    root = new TerraformRoot(join(folder, 'root'), aws);
  });

  afterAll(async () => {
    await aws?.stop();
    rmSync(folder, { recursive: true });
  });

  const errorsOf = async (args: readonly string[]) => {
    const { output } = await root.terraform([...args, '-json']);
    const lines = args[0] === 'validate' ? [output] : output.split('\n').filter(line => line.startsWith('{'));
    const found = lines.flatMap(line => {
      const { diagnostics, diagnostic } = JSON.parse(line) as Said;
      return diagnostics ?? diagnostic ?? [];
    });
    return found.filter(({ severity }) => severity === 'error');
  };

  /** Fields that the module refuses of each set. Nothing is planned before all variables are valid. */
  const refused = async (sets: readonly TablesProps[]): Promise<string[][]> => {
    const fileOf = (index: number) => `${index}.tf.json`;
    for (const [index, props] of sets.entries()) {
      const module = { [`m${index}`]: { source: '../rules', name: `m${index}`, ...inputsOf(props) } };
      writeFileSync(join(root.folder, fileOf(index)), JSON.stringify({ module }));
    }
    await root.succeed(['init', '-input=false']);
    const ofVariables = await errorsOf(['validate']);
    const isOf = (index: number) => (error: Diagnostic) => error.range?.filename === fileOf(index);
    const planned = sets.map((_props, index) => !ofVariables.some(isOf(index)));
    for (const [index, isPlanned] of planned.entries()) {
      if (!isPlanned) rmSync(join(root.folder, fileOf(index)));
    }
    const errors = [...ofVariables, ...(await errorsOf(['plan', '-input=false']))];
    const others = errors.filter(({ detail }) => !detail.includes(': expected '));
    if (others.length > 0) throw new Error(JSON.stringify(others, null, 1));
    return sets.map((_props, index) => {
      const ofFile = errors.filter(isOf(index)).map(({ detail }) => detail);
      const ofRules = errors
        .flatMap(({ detail }) => detail.split('\n'))
        .filter(line => line.startsWith(`m${index} `));
      return [...ofFile, ...ofRules].flatMap(
        text => /^(?:m\d+ )?(?:tables, )?([\w.]+): expected /.exec(text)?.[1] ?? [],
      );
    });
  };

  test('refuse what the construct refuses, by the same fields, and take what it takes', async () => {
    const sets = variedSets();
    const actual = await refused(sets);
    const different = sets.flatMap((props, index) => {
      const [problem] = constructProblems(props);
      const got = actual[index] as string[];
      const isSame = problem === undefined ? got.length === 0 : got.includes(fieldInModule(problem.field));
      return isSame ? [] : [{ props, problem, got }];
    });
    expect(different).toEqual([]);
    expect(sets.length).toBeGreaterThan(2 * RIGHT);
  });
});
