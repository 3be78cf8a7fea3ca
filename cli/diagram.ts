/** `npm run docs:diagram`: draws the state machines into docs/state-machine.md. */
import { writeFileSync } from 'node:fs';
import { diagramPage } from './diagram-page.ts';
import { print } from './print.ts';
import { runCommand } from './run-command.ts';

const FILE = new URL('../docs/state-machine.md', import.meta.url);

const help = (flags: string) => `npm run docs:diagram

Draws the state machines, as they are defined now, into docs/state-machine.md.

${flags}`;

async function run(): Promise<number> {
  writeFileSync(FILE, diagramPage());
  print('docs/state-machine.md');
  return 0;
}

await runCommand({ flags: {}, help, run });
