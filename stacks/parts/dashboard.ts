import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { Construct } from 'constructs';
import { dashboardBody, type ShownResources } from '../dashboard.ts';
import type { ResolvedProps } from '../props.ts';

export interface SweepDashboardProps {
  readonly resources: ShownResources;
  readonly sweep: ResolvedProps;
}

/** The dashboard of a table, named as everything of it. */
export class SweepDashboard extends Construct {
  readonly dashboardName: string;
  readonly dashboard: CloudwatchDashboard;

  constructor(scope: Construct, id: string, { resources, sweep }: SweepDashboardProps) {
    super(scope, id);
    this.dashboardName = sweep.name;
    this.dashboard = new CloudwatchDashboard(this, 'dashboard', {
      dashboardName: sweep.name,
      dashboardBody: dashboardBody(sweep, resources),
    });
    this.node.defaultChild = this.dashboard;
  }
}
