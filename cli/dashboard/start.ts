import { Looks, type LooksOptions } from './looks.ts';
import { pageFiles } from './page-files.ts';
import { type PageServer, servePage } from './server.ts';
import { type Link, view } from './view.ts';

export interface DashboardStart extends Pick<LooksOptions, 'look'> {
  readonly region: string;
  /** Other pages about the same deployment. @default none */
  readonly links?: readonly Link[];
}

/** Serves the page of the sweep to this machine. The deployment is read only while a browser has the page open. */
export async function startDashboard({ look, region, links = [] }: DashboardStart): Promise<PageServer> {
  const ended = new AbortController();
  const looks = new Looks({ look, signal: ended.signal });
  const server = await servePage({
    files: await pageFiles(),
    view(query) {
      looks.ask();
      return view(looks, { region, links, table: query.get('table') });
    },
  });
  return {
    address: server.address,
    async stop() {
      ended.abort();
      await server.stop();
    },
  };
}
