// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { withNativeTtl } from '../../../stacks/terraform-module/native-ttl.ts';

const condition = (test: string) => ({ condition: `\${${test}}`, error_message: test });

const OF_TABLE = condition('keys');
const OFF = condition('is off');
const ON = condition('is on');

test('a switch is on unless one of the variables turns it off', () => {
  const json = { enabled: false, name: '${var.table_name}' };
  expect(withNativeTtl(json, { enabled: false, name: 'a' }, { enabled: true, name: 'a' })).toEqual({
    ...json,
    enabled: '${!local.refuses_native_ttl}',
  });
});

test('each condition is checked where it is meant, and the others always', () => {
  const postcondition = [OF_TABLE, OFF];
  const of = (postcondition: object[]) => ({ lifecycle: { postcondition } }) as never;
  expect(withNativeTtl(of(postcondition), of(postcondition), of([OF_TABLE, ON, ON]))).toEqual(
    of([
      OF_TABLE,
      { condition: '${local.refuses_native_ttl ? is off : true}', error_message: 'is off' },
      { condition: '${!local.refuses_native_ttl ? is on : true}', error_message: 'is on' },
      { condition: '${!local.refuses_native_ttl ? is on : true}', error_message: 'is on' },
    ]),
  );
  const varied = [OF_TABLE, condition('is off or else')];
  expect(() => withNativeTtl(of(varied), of(postcondition), of([OF_TABLE, ON]))).toThrow(
    'The conditions of native TTL depend on something else too.',
  );
});

test('the grace is a variable already, and anything else that differs is refused', () => {
  const json = { GRACE_SECONDS: '${var.grace_seconds}' };
  expect(withNativeTtl(json, { GRACE_SECONDS: '7' }, { GRACE_SECONDS: '0' })).toEqual(json);
  expect(() => withNativeTtl({ timeout: 7 }, { timeout: 7 }, { timeout: 0 })).toThrow(
    'timeout depends on native TTL, and is not known to.',
  );
});
