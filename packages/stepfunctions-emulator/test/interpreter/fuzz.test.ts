import fc from 'fast-check';
import { InvalidDefinitionError, InvalidStartError, loadDefinition } from '../../src/interpreter/index.ts';
import { arnOf, LAMBDA_INVOKE, machineOf, run } from './run-definition.ts';

type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

const inner = { StartAt: 'I', States: { I: { Type: 'Pass', Output: '{% $states.input %}', End: true } } };

/** A definition with every kind of state and most fields, from which the fuzzer makes broken ones. */
const WHOLE = machineOf(
  {
    A: { Type: 'Pass', Assign: { v: '{% $states.input.a %}' }, Output: { b: [1, '{% 2 %}'] }, Next: 'B' },
    B: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $v = 1 %}', Assign: { w: 1 }, Output: {}, Next: 'C' }],
      Default: 'D',
    },
    C: { Type: 'Wait', Seconds: 3, Next: 'D' },
    D: {
      Type: 'Task',
      Resource: LAMBDA_INVOKE,
      Arguments: { FunctionName: arnOf('f'), Payload: '{% $states.input %}' },
      TimeoutSeconds: 30,
      HeartbeatSeconds: '{% 10 %}',
      Retry: [
        {
          ErrorEquals: ['E'],
          IntervalSeconds: 2,
          MaxAttempts: 1,
          BackoffRate: 1.5,
          MaxDelaySeconds: 9,
          JitterStrategy: 'FULL',
        },
      ],
      Catch: [
        { ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput %}', Assign: { x: 1 }, Next: 'E' },
      ],
      Next: 'E',
    },
    E: {
      Type: 'Map',
      Items: ['{% 1 %}', 2],
      ItemSelector: '{% $states.context.Map.Item.Value %}',
      MaxConcurrency: 2,
      ItemProcessor: inner,
      Next: 'F',
    },
    F: {
      Type: 'Map',
      Label: 'L',
      ToleratedFailurePercentage: 50,
      ToleratedFailureCount: '{% 1 %}',
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
        StartAt: 'J',
        States: { J: { Type: 'Wait', Timestamp: '{% $now() %}', End: true } },
      },
      Next: 'G',
    },
    G: {
      Type: 'Parallel',
      Arguments: 1,
      Branches: [{ StartAt: 'K', States: { K: { Type: 'Succeed' } } }],
      Next: 'H',
    },
    H: { Type: 'Fail', Error: 'E', Cause: "{% 'why' %}" },
  },
  { Comment: 'c', Version: '1.0', TimeoutSeconds: 900 },
) as Tree;

/** Replaces, or takes out, what stands at the `position`-th place of a tree (in order of a walk through it). */
function changed(tree: Tree, position: number, value: Tree | undefined): Tree {
  let at = 0;
  const visit = (node: Tree): Tree | undefined => {
    if (at++ === position) return value;
    if (Array.isArray(node)) return node.map(visit).filter(item => item !== undefined);
    if (node === null || typeof node !== 'object') return node;
    const members = Object.entries(node).map(([key, member]) => [key, visit(member)] as const);
    return Object.fromEntries(members.filter((entry): entry is [string, Tree] => entry[1] !== undefined));
  };
  return visit(tree) ?? null;
}

function count(tree: Tree): number {
  if (tree === null || typeof tree !== 'object') return 1;
  return 1 + Object.values(tree).reduce<number>((sum, member) => sum + count(member), 0);
}

const PLACES = count(WHOLE);
const replacement = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Tree>,
  fc.constantFrom<Tree>(
    'A',
    'H',
    '{% $v %}',
    '{% $states.input %}',
    '{% 1 / 0 %}',
    '{% [] %}',
    '{% -1 %}',
    '{%',
    0,
    -1,
    {},
    [],
  ),
);

/** @returns undefined when the definition is refused */
function unlessRefused<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch (error) {
    if (error instanceof InvalidDefinitionError) return undefined;
    throw error;
  }
}

test('the whole definition loads and runs', async () => {
  const execution = await run(WHOLE, { input: { a: 1 }, functions: { f: event => event } });
  expect([execution.error, execution.cause]).toEqual(['E', 'why']);
});

test('a definition that is not valid is refused, never anything else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.jsonValue()), source => {
      expect(unlessRefused(() => loadDefinition(source))).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

test('a definition that loads runs to an end that AWS knows', async () => {
  let ran = 0;
  const change = fc.tuple(fc.nat({ max: PLACES - 1 }), replacement);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async changes => {
      const definition = changes.reduce<Tree>(
        (tree, [position, value]) => changed(tree, position, value),
        WHOLE,
      );
      const limits = { standardHistoryEvents: 300 };
      const options = { input: { a: 1 }, functions: { f: (event: unknown) => event }, limits };
      const execution = await unlessRefused(() => run(definition, options));
      if (execution === undefined) return;
      ran += 1;
      expect(['SUCCEEDED', 'FAILED', 'TIMED_OUT']).toContain(execution.status);
      expect(execution.cause ?? '').not.toContain('interpreter itself failed');
    }),
    { numRuns: 300 },
  );
  expect(ran).toBeGreaterThan(20);
});

test('fails on definitions and inputs that are nested too deeply, without breaking', () => {
  const deep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
  const definition = `{"QueryLanguage":"JSONata","StartAt":"A","States":{"A":{"Type":"Pass","Output":${deep},"End":true}}}`;
  expect(() => loadDefinition(definition)).toThrow(InvalidDefinitionError);
  expect(() => run(machineOf({ A: { Type: 'Succeed' } }), { input: JSON.parse(deep) })).toThrow(
    InvalidStartError,
  );
});
