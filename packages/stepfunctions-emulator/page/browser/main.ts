import { element } from './element.ts';
import { Page } from './page.ts';

void new Page(document.getElementById('page') ?? element('div')).start();
