/** `precise-ttl dashboard`: serves a page for browsers on this machine that shows the state of the sweeps. See `--help`. */
import { once } from 'node:events';
import { loadConfig } from '../config/load-config.ts';
import { CONFIG } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';

export const command = defineCommand({
  flags: { config: CONFIG },
  help: flags => `npx precise-ttl dashboard [flags]

Serves a page to the browsers of this machine, until Ctrl-C: of each table the watermark, what was due, deleted and left minute by
minute, the lag of deletions beside what is promised, what is overdue and when it will be gone, the archive and the events, alarms,
pause and limit, and what a month costs. It is what status, history, audit and cost say; the page changes nothing.

${flags}

Whoever has the printed address sees the page: it has a token, which is another one each time. It listens on 127.0.0.1 only. While the
page is open it asks for the status every 10 seconds, and for the history twice a minute; while it is closed or hidden, for nothing.

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the deployment of
npx precise-ttl local open the address that local prints.

${describeActions('dashboard')}

Exit status: 0 stopped by Ctrl-C or SIGTERM, 1 it couldn't start, 2 wrong flags.`,
  async run({ config: file }) {
    const config = await loadConfig(file);
    const { signal } = stopOnSignal();
    const { startDashboard } = await import('../dashboard/start.ts');
    const page = await startDashboard({ config });
    try {
      print(`${page.address}\nThe page of the sweep, for browsers of this machine. Ctrl-C stops it.`);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await page.stop();
    }
    return 0;
  },
});
