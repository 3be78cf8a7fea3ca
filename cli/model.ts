/** `precise-ttl model`: prints as JSON what all writers of a table must agree on. See `--help`. */
import { writeFileSync } from 'node:fs';
import { loadConfig } from '../config/load-config.ts';
import { modelPropsOf } from '../config/model-of.ts';
import { chooseTable } from '../operate/choose-tables.ts';
import { CONFIG } from './flags.ts';
import { print, printData } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

export const command = defineCommand({
  flags: {
    table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: the only one)' },
    out: { type: 'text', value: 'FILE', help: 'write it to a file (default: print it)' },
    config: CONFIG,
  },
  help: flags => `npx precise-ttl model [flags]

Prints the expiry model of a table as JSON, as the configuration has it: the names of its keys and attributes and, by window,
granularityMinutes and shards. expiryModel(JSON.parse(text)) takes it, and writers in other languages can read the same file.

${flags}

What is deployed has it too: expiryModel in npx precise-ttl outputs. How to stamp items by it: docs/use.md of precise-ttl.

Exit status: 0 printed or written, 1 not (no configuration, or a wrong one), 2 wrong flags.`,
  async run({ table, out, config }) {
    const file = out === undefined ? undefined : writableFile('--out', out);
    const chosen = chooseTable(await loadConfig(config), table);
    const json = JSON.stringify(modelPropsOf(chosen), null, 2);
    if (file === undefined) {
      printData(json);
    } else {
      writeFileSync(file, `${json}\n`);
      print(`${out}: the expiry model of ${chosen.tableName}`);
    }
    return 0;
  },
});
