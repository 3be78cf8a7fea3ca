// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { tableConditions } from '../../stacks/parts/table-conditions.ts';
import { SESSION_DATA } from '../support/configs.ts';

const conditions = (props: PreciseTtlProps) => tableConditions(resolveProps(props));

/** Whether Terraform takes and judges them as meant, test/deploy shows. */
describe('the conditions of an existing table', () => {
  test.each([
    ['the partition key', 'self.hash_key == "UserName"'],
    ['the sort key', 'self.range_key == "SessionId"'],
    ['the type of a key', 'a.type == "S" if a.name == "UserName"'],
    ['the type of the window', 'a.type == "S" if a.name == "expirationWindow"'],
    ['the type of the TTL', 'a.type == "N" if a.name == "ExpirationTime"'],
    [
      'the index with its keys',
      'i.name == "expirationWindowIndex" && i.hash_key == "expirationWindow" && i.range_key == "ExpirationTime"',
    ],
    ['its projection', 'i.projection_type == "KEYS_ONLY"'],
    [
      'the attribute of native TTL',
      'anytrue([for ttl in self.ttl : ttl.attribute_name == "ExpirationTime"])',
    ],
    ['native TTL being enabled', 'anytrue([for ttl in self.ttl : ttl.enabled'],
  ])('ask for %s', (_name, test) => {
    expect(conditions(SESSION_DATA).filter(({ condition }) => condition.includes(test))).toHaveLength(1);
  });

  test('by second ask for an index whose only key is the TTL attribute', () => {
    const bySecond = conditions({ tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' } });
    const texts = bySecond.map(({ condition }) => condition).join('\n');
    expect(texts).toContain(
      'i.name == "expirySecondIndex" && i.hash_key == "ttl" && try(length(i.range_key), 0) == 0',
    );
    expect(texts).toContain('a.type == "N" if a.name == "ttl"');
    expect(texts).not.toContain('expirationWindow');
  });

  test('ask that there is no sort key when the configuration names none', () => {
    const { sortKey: _none, ...hashOnly } = SESSION_DATA;
    expect(conditions(hashOnly).map(({ condition }) => condition)).toContain(
      '${try(length(self.range_key), 0) == 0}',
    );
  });

  test('tell a TTL that is still ENABLING from one that is on another attribute, and how to wait', () => {
    expect(conditions(SESSION_DATA).at(-1)?.error_message).toMatch(
      /not ENABLED yet\. It is ENABLING for up to an hour .* aws dynamodb describe-time-to-live --table-name SessionData/,
    );
  });

  test('keep names from being read as templates or as the end of a text', () => {
    const [first] = conditions({ ...SESSION_DATA, partitionKey: 'a"b${c}%{d}' });
    expect(first?.condition).toBe('${self.hash_key == "a\\"b$${c}%%{d}"}');
    expect(first?.error_message).toContain('not a"b$${c}%%{d}.');
  });

  test('all say which table and where to read on', () => {
    for (const { error_message } of conditions(SESSION_DATA)) {
      expect(error_message).toMatch(/^Table SessionData: .*docs\/adopt\.md of precise-ttl\.$/);
    }
  });
});
