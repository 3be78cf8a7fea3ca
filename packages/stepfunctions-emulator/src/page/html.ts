import { createHash } from 'node:crypto';
import type { Report } from './data.ts';
import type { PageSource } from './page-source.ts';

/** The page loads only the listed sources, and cannot be framed. */
const POLICY = ["default-src 'none'", 'img-src data:', "base-uri 'none'", "form-action 'none'"];

export const SERVED_POLICY = [
  ...POLICY,
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 4v4M8 8H4v4M8 8h4v4' fill='none' stroke='%234f9a63' stroke-width='1.5'/%3E%3Cg fill='%234f9a63'%3E%3Ccircle cx='8' cy='3' r='2.5'/%3E%3Ccircle cx='4' cy='13' r='2.5'/%3E%3Ccircle cx='12' cy='13' r='2.5'/%3E%3C/g%3E%3C/svg%3E";

const head = (title: string, ...more: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    ...more,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" href="${ICON}">`,
    `<title>${escapeHtml(title)}</title>`,
  ].join('\n');

export const servedPage = (): string => `${head(
  'Step Functions, local',
)}\n<link rel="stylesheet" href="/page/style.css">
<body><div id="page"></div>
<script src="/page/script.js"></script>
</html>
`;

export function reportPage(report: Report, { script, style }: PageSource): string {
  const policy = [...POLICY, `script-src '${hashOf(script)}'`, `style-src '${hashOf(style)}'`].join('; ');
  const name = report.executions[0]?.description.name ?? 'execution';
  return `${head(name, `<meta http-equiv="content-security-policy" content="${policy}">`)}
<style>${style}</style>
<body><div id="page"></div>
<script type="application/json" id="report">${jsonInHtml(report)}</script>
<script>${script}</script>
</html>
`;
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** JSON that cannot end the script element around it, or begin a comment. */
export const jsonInHtml = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
