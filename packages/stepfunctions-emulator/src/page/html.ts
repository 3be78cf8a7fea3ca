/** Content-Security-Policy of the page: the browser loads only from these sources, and no other page can show this page in a frame. */
export const POLICY = [
  "default-src 'none'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 4v4M8 8H4v4M8 8h4v4' fill='none' stroke='%234f9a63' stroke-width='1.5'/%3E%3Cg fill='%234f9a63'%3E%3Ccircle cx='8' cy='3' r='2.5'/%3E%3Ccircle cx='4' cy='13' r='2.5'/%3E%3Ccircle cx='12' cy='13' r='2.5'/%3E%3C/g%3E%3C/svg%3E";

export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}">
<title>Step Functions, local</title>
<link rel="stylesheet" href="/page/style.css">
<body><div id="page"></div>
<script src="/page/script.js"></script>
</html>
`;
