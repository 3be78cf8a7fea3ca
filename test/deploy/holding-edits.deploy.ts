import type { DeploymentConfig } from '../../config/config.ts';
import { HOLDINGS } from '../../config/holdings.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import { type HeldThing, HeldThings, type HoldingName, lost } from './support/held-things.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const READ = { archive: {}, events: { eventBus: 'default' } } as const;
const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', sweep: 'one', ...READ };
const ORDERS: PreciseTtlProps = { tableName: 'Orders', partitionKey: 'id', sweep: 'two', ...READ };
/** It shares the deployment of the first. */
const CARTS: PreciseTtlProps = { tableName: 'Carts', partitionKey: 'id', sweep: 'one' };
const ALL = configOf(TOKENS, ORDERS, CARTS);

const goes = (when: 'turnedOff' | 'entryOut' | 'destroyed', kind: HoldingName) =>
  HOLDINGS[kind][when] === 'goes';

describeWithTerraform('the list of what holds something', () => {
  let aws: EmulatedAws;
  let deployment: Deployment;
  let things: HeldThings;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    things = new HeldThings(aws);
    deployment = new Deployment(aws);
    await deployment.deploy(ALL);
  });
  afterAll(async () => {
    deployment?.remove();
    things?.destroy();
    await aws?.stop();
  });

  test('has each kind', async () => {
    const kinds = new Set((await things.fill()).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(Object.keys(HOLDINGS).sort());
  });

  const goneWith = async (config: DeploymentConfig, removed = false) => {
    const before = await things.fill();
    await deployment.deploy(config, { removed });
    return lost(before, await things.inventory());
  };
  const kindsThatGo = (when: 'entryOut' | 'destroyed') =>
    (Object.keys(HOLDINGS) as HoldingName[]).filter(kind => goes(when, kind)).sort();
  const kindsOf = (gone: readonly HeldThing[]) => [...new Set(gone.map(({ kind }) => kind))].sort();

  test('says what goes with an entry, and with a deployment', async () => {
    const leaves = { existingTable: true, enabled: false } as const;
    const { archive: _archive, ...orders } = ORDERS;
    const stopped = await goneWith(configOf(TOKENS, { ...orders, ...leaves }, { ...CARTS, ...leaves }));
    expect(stopped.filter(({ kind }) => !goes('turnedOff', kind))).toEqual([]);

    const alone = configOf(TOKENS);
    const gone = await goneWith(alone);
    expect(kindsOf(gone)).toEqual(kindsThatGo('entryOut'));
    // A reader is known by the function that it calls.
    expect(gone.filter(({ name }) => !name.includes('two'))).toEqual([]);

    expect(kindsOf(await goneWith(alone, true))).toEqual(kindsThatGo('destroyed'));
  });
});
