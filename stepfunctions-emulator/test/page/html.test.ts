import { createHash } from 'node:crypto';
import type { ReportedExecution } from '../../src/page/data.ts';
import { jsonInHtml, reportPage } from '../../src/page/html.ts';
import { pageSource } from '../../src/page/page-source.ts';

const HOSTILE = '</script><script>alert(1)</script><!-- <script>';

test('JSON in a page ends no script and begins no comment, and is read as it was', () => {
  const text = jsonInHtml({ [HOSTILE]: HOSTILE });
  expect(text).not.toContain('<');
  expect(JSON.parse(text)).toEqual({ [HOSTILE]: HOSTILE });
});

test('a written page runs its own script and nothing else', async () => {
  const { script, style } = await pageSource();
  const named = { description: { name: HOSTILE } } as ReportedExecution;
  const page = reportPage({ definition: HOSTILE, executions: [named] }, { script, style });
  expect(page.match(/<script/g)).toHaveLength(2);
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = /<meta http-equiv="content-security-policy" content="([^"]*)">/.exec(page)?.[1];
  expect(policy).toContain(`script-src ${hash(script)}; style-src ${hash(style)}`);
  expect(policy).toMatch(/^default-src 'none'; /);
  // Nothing that it is made of ends the element that holds it.
  expect(script).not.toContain('</script');
  expect(style).not.toContain('</style');
});
