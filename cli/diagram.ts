/** `npm run docs:diagram`: draws the state machine into docs/state-machine.md. */
import { writeFileSync } from 'node:fs';
import { diagramPage } from './diagram-page.ts';
import { print } from './print.ts';
import { runCommand } from './run-command.ts';

const FILE = new URL('../docs/state-machine.md', import.meta.url);

const help = (flags: string) => `npm run docs:diagram

Draws the state machine, as it is defined now, into docs/state-machine.md.

${flags}`;

async function run(): Promise<number> {
  writeFileSync(FILE, diagramPage());
  print('docs/state-machine.md');
  return 0;
}

await runCommand({ flags: {}, help, run });
