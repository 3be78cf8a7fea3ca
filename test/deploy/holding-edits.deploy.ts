import { seededRandom } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../config/config.ts';
import { HOLDINGS } from '../../config/holdings.ts';
import { pathOf } from '../../config/prop-groups.ts';
import { DEPLOYMENT_PROPS, PROP_NAMES, type PreciseTtlProps, settingsOfProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import { type HeldThing, HeldThings, type HoldingName, lost } from './support/held-things.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';
import { Walk } from './support/walk.ts';
import { type Place, type Walked, walkOfPairs } from './support/walk-of-pairs.ts';

/** Each round is another walk, which has other props edited at once, and other refusals. */
const ROUNDS = Number(process.env['HOLDING_EDITS_ROUNDS'] ?? 1);
const SEED = Number(process.env['HOLDING_EDITS_SEED'] ?? 2);

type Props = Partial<PreciseTtlProps>;
interface Tables {
  readonly Tokens?: Props;
  readonly Orders?: Props;
  readonly Carts?: Props;
}

const ON_AND_OFF: Walked['moves'] = [
  [0, 1],
  [1, 0],
];

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

/** Another value of everything that turns nothing on or off that holds something. */
const OTHERS: Props = {
  tableKmsKeyArn: KEY,
  index: { granularityMinutes: 5, shards: 2 },
  precisionSeconds: 2,
  pollSeconds: 10,
  maxDeletesPerSecond: 100,
  logRetentionDays: 90,
  logKeys: 'hash',
  dashboard: false,
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
};

/** Why the walks do not edit a prop. */
const NOT_WALKED: Readonly<Partial<Record<string, string>>> = {
  ...Object.fromEntries(
    [
      ...['tableName', 'partitionKey', 'partitionKey.type', 'sortKey', 'sortKey.type', 'ttlAttribute'],
      ...['index.by', 'index.attribute', 'index.name'],
    ].map(prop => [prop, 'the table cannot change so: created-tables.deploy.ts']),
  ),
  existingTable: 'there is no way back in one step: see below',
  kmsKeyArn: 'AWS does not make a queue or a topic again that it has with another key',
  tags: 'nor with other tags',
  sweep: 'another deployment has things of its own: shapes.deploy.ts',
  deleteMode: 'its other value holds nothing',
};

/** The props of Tokens that turn on and off what holds something, each with its values, and all others at once. */
const EDITED: readonly (Walked & { readonly values: readonly Props[] })[] = [
  {
    name: 'archive',
    values: [{ archive: {} }, {}],
    moves: ON_AND_OFF,
  },
  {
    name: 'events',
    values: [{ events: { queueArn: 'arn:aws:sqs:us-east-1:123456789012:expiries' } }, {}],
    moves: ON_AND_OFF,
  },
  { name: 'enabled', values: [{}, { enabled: false }], moves: ON_AND_OFF },
  {
    name: 'alarms',
    values: [{}, { alarms: false }, { alarms: 'arn:aws:sns:us-east-1:123456789012:on-call' }],
    moves: [...ON_AND_OFF, [0, 2], [2, 0]],
  },
  { name: 'all others', values: [{}, OTHERS], moves: ON_AND_OFF },
];

const BEGIN: Place = EDITED.map(() => 0);
/** Each in a deployment of its own: those of one cannot differ in what is the deployment's. A third table shares that of the first. */
const NAMES = {
  Tokens: { sweep: 'one' },
  Orders: { sweep: 'two' },
} as const;

/** Edits that are refused, whatever else is edited with them. */
const REFUSED: Readonly<Record<string, Tables>> = {
  'another sweep': { Tokens: { sweep: 'three' } },
  'two sweeps that are swapped': { Tokens: NAMES.Orders, Orders: NAMES.Tokens },
};

/** A walk has some 25 steps, so that each of the refusals comes at least once. */
const STEPS_PER_REFUSAL = 3;

/** An undefined prop takes it away. */
function configAt(place: Place, over: Tables = {}): DeploymentConfig {
  const table = (tableName: keyof Tables, props: Props): PreciseTtlProps => {
    const all = {
      ...(tableName !== 'Carts' && NAMES[tableName]),
      ...props,
      ...over[tableName],
    };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return { tableName, partitionKey: 'id', ...given };
  };
  const chosen: Props[] = EDITED.map(({ values }, index) => values[place[index] ?? 0] ?? {});
  const tables = [
    table('Tokens', {
      ...Object.assign({}, ...chosen),
      index: Object.assign({}, ...chosen.map(({ index }) => index)),
    }),
    table('Orders', { archive: {}, events: { eventBus: 'default' } }),
  ];
  const { sweep } = NAMES.Tokens;
  const shared = Object.entries(tables.find(each => each.sweep === sweep) ?? {}).filter(([prop]) =>
    (DEPLOYMENT_PROPS as readonly string[]).includes(prop),
  );
  return configOf(...tables, table('Carts', { sweep, ...Object.fromEntries(shared) }));
}

const described = (things: readonly HeldThing[]) => things.map(({ kind, name }) => `${kind} ${name}`).sort();
const goes = (when: 'turnedOff' | 'entryOut' | 'destroyed', kind: HoldingName) =>
  HOLDINGS[kind][when] === 'goes';

/** What may go in a step: what the list says goes with a prop that the step turns off. */
function mayGo({ kind, name: thing }: HeldThing, from: Place, to: Place): boolean {
  const turnedOff = EDITED.filter((_, index) => from[index] === 0 && to[index] !== 0).map(({ name }) => name);
  const reader = { 'one-Tokens-archive-expiries': 'archive', 'one-Tokens-publish-expiries': 'events' }[thing];
  return goes('turnedOff', kind) && reader !== undefined && turnedOff.includes(reader);
}

describeWithTerraform('what holds something', () => {
  let aws: EmulatedAws;
  let deployment: Deployment;
  let things: HeldThings;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    things = new HeldThings(aws);
    deployment = new Deployment(aws);
    await deployment.deploy(configAt(BEGIN));
  });
  afterAll(async () => {
    deployment?.remove();
    things?.destroy();
    await aws?.stop();
  });

  test('is of each kind of the list', async () => {
    const kinds = new Set((await things.fill()).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(Object.keys(HOLDINGS).sort());
  });

  test('is what each prop is tried on, but for those that cannot be', () => {
    const walked = [
      ...EDITED.flatMap(({ values }) => values),
      ...Object.values(REFUSED).flatMap(({ Tokens = {} }) => Tokens),
    ].flatMap(props => Object.keys(settingsOfProps(props as PreciseTtlProps)).map(pathOf));
    expect([...new Set([...walked, ...Object.keys(NOT_WALKED)])].sort()).toEqual(
      [...new Set(PROP_NAMES.map(pathOf))].sort(),
    );
  });

  test.each(Array.from({ length: ROUNDS }, (_, round) => [round]))(
    'stays, whatever pair of props is edited at once: walk %i',
    async round => {
      let from = BEGIN;
      const walk = new Walk(aws);
      const use = (config: DeploymentConfig) => async () => {
        await deployment.use(config);
        return deployment.root;
      };
      for (const [index, to] of walkOfPairs(EDITED, seededRandom(SEED + round)).entries()) {
        if (index % STEPS_PER_REFUSAL === 0) {
          const refusals = Object.entries(REFUSED);
          const [name = '', over] = refusals[(index / STEPS_PER_REFUSAL + round) % refusals.length] ?? [];
          await walk.make({
            name: `${name}, ${to}`,
            make: use(configAt(to, over)),
            refused: /REFUSED TO KEEP/,
          });
        }

        const [begun, place] = [from, to];
        await walk.make({
          name: `${begun} to ${place}`,
          make: use(configAt(place)),
          // As Terraform runs when nobody says otherwise, and one after the other.
          parallelism: (index + round) % 2 === 0 ? 10 : 1,
          takes: thing => mayGo(thing, begun, place),
          sweeps: configAt(place)
            .tables.filter(({ enabled }) => enabled !== false)
            .map(({ tableName }) => tableName),
        });
        from = to;
      }
      walk.destroy();
      await deployment.deploy(configAt(BEGIN));
    },
    3_600_000,
  );

  const refuses = async (config: DeploymentConfig) => {
    const before = await things.fill();
    await deployment.use(config);
    expect(await deployment.plan()).toMatch(/REFUSED TO KEEP/);
    expect(described(lost(before, await things.inventory()))).toEqual([]);
  };
  const goneWith = async (config: DeploymentConfig, removed = false) => {
    const before = await things.fill();
    await deployment.deploy(config, { removed });
    return lost(before, await things.inventory());
  };
  const kindsThatGo = (when: 'entryOut' | 'destroyed') =>
    (Object.keys(HOLDINGS) as HoldingName[]).filter(kind => goes(when, kind)).sort();
  const kindsOf = (gone: readonly HeldThing[]) => [...new Set(gone.map(({ kind }) => kind))].sort();

  test('of an entry goes in two steps, and of a deployment when it is destroyed, as the list says', async () => {
    const alone = { ...configAt(BEGIN), tables: configAt(BEGIN).tables.slice(0, 1) };
    await refuses(alone);
    const Carts = { existingTable: true, enabled: false } as unknown as Props;
    const Orders = { ...Carts, archive: undefined } as unknown as Props;
    const stopped = await goneWith(configAt(BEGIN, { Orders, Carts }));
    expect(stopped.filter(({ kind }) => !goes('turnedOff', kind))).toEqual([]);

    const gone = await goneWith(alone);
    expect(kindsOf(gone)).toEqual(kindsThatGo('entryOut'));
    // A reader is known by the function that it calls.
    expect(gone.filter(({ name }) => !name.includes(NAMES.Orders.sweep))).toEqual([]);

    expect(kindsOf(await goneWith(alone, true))).toEqual(kindsThatGo('destroyed'));
  });
});
