// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { resolveProps } from '../../stacks/config/props.ts';
import { tableConditions } from '../../stacks/parts/swept-table.ts';
import { SESSION_DATA } from '../support/configs.ts';

// Whether Terraform takes and judges them as meant, test/deploy shows.
test('names in the conditions of an existing table are texts, and each says where to read on', () => {
  const all = tableConditions(resolveProps({ ...SESSION_DATA, partitionKey: 'a"b${c}%{d}' }));
  expect(all[0]?.condition).toBe('${self.hash_key == "a\\"b$${c}%%{d}" && self.range_key == "SessionId"}');
  expect(all[0]?.error_message).toContain('not a"b$${c}%%{d}, SessionId.');
  for (const { error_message: text } of all)
    expect(text).toMatch(/^Table SessionData: .* See docs\/adopt\.md of precise-ttl\.$/);
  expect(all.at(-1)?.error_message).toContain('describe-time-to-live --table-name SessionData');
});
