import fc from 'fast-check';
import { modelOf } from '../../config/deployments.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { GRANULARITIES } from '../../expiry/window.ts';
import { modelPropsOfSettings } from '../../functions/runtime/environment.ts';
import { anyCharacter } from '../support/any-character.ts';

const name = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 30 })
  .filter(text => !text.includes('\0'));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** Configurations of a table as far as its model goes; fields that are undefined are left out. */
const configurations: fc.Arbitrary<PreciseTtlProps> = fc
  .record({
    tableName: fc.constant('Sessions'),
    partitionKey: name,
    sortKey: optional(name),
    ttlAttribute: optional(name),
    indexedBy: optional(fc.constantFrom('window' as const, 'second' as const)),
    windowAttribute: optional(name),
    granularityMinutes: optional(fc.constantFrom(...GRANULARITIES)),
    shards: optional(fc.integer({ min: 1, max: 100 })),
  })
  .map(({ indexedBy: by, windowAttribute: attribute, granularityMinutes, shards, ...props }) => ({
    ...props,
    index: { by, ...(by !== 'second' && { attribute, granularityMinutes, shards }) },
  }))
  .map(props => JSON.parse(JSON.stringify(props)) as PreciseTtlProps)
  .filter(props => propProblems(props).length === 0);

test('as JSON it makes the model of the deployment again, with nothing left to a default', () => {
  const property = fc.property(configurations, props => {
    const json = JSON.stringify(modelPropsOfSettings(resolveProps(props)));
    const read: ExpiryModelProps = JSON.parse(json);
    expect(expiryModel(read)).toEqual(modelOf(props));
    const fields = ['partitionKey', 'ttlAttribute', 'indexedBy', ...(props.sortKey ? ['sortKey'] : [])];
    const byWindow = ['windowAttribute', 'granularityMinutes', 'shards'];
    const expected = props.index?.by === 'second' ? fields : [...fields, ...byWindow];
    expect(Object.keys(read).sort()).toEqual(expected.sort());
  });
  fc.assert(property);
});
