import type { Report } from '../../src/page/data.ts';
import { element } from './element.ts';
import { Page } from './page.ts';
import { reportSource, SERVER } from './source.ts';

const report = document.getElementById('report');
const source = report === null ? SERVER : reportSource(JSON.parse(report.textContent ?? '') as Report);
const place = document.getElementById('page') ?? element('div');
void new Page(source, place).start();
