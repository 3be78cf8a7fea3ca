import { type DashboardOptions, dashboardData } from './data.ts';
import { pageFiles } from './page-files.ts';
import { type PageServer, servePage } from './server.ts';

export type DashboardStart = Omit<DashboardOptions, 'signal'>;

/**
 * Serves the page of the sweep to this machine. It asks the deployment only while somebody has the page open.
 */
export async function startDashboard(options: DashboardStart): Promise<PageServer> {
  const ended = new AbortController();
  const data = dashboardData({ ...options, signal: ended.signal });
  const server = await servePage({
    files: await pageFiles(),
    data: query => data.report(query.get('table') ?? undefined),
  });
  return {
    address: server.address,
    async stop() {
      ended.abort();
      await server.stop();
    },
  };
}
