import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../../config/deployments.ts';
import { dashboardBody, type ShownResources } from '../dashboard.ts';

export interface SweepDashboardProps {
  readonly resources: ShownResources;
  readonly deployment: Deployment;
}

/** The dashboard of a deployment, which has the deployment's name. */
export class SweepDashboard extends Construct {
  readonly dashboardName: string;
  readonly dashboard: CloudwatchDashboard;

  constructor(scope: Construct, id: string, { resources, deployment }: SweepDashboardProps) {
    super(scope, id);
    this.dashboardName = deployment.name;
    this.dashboard = new CloudwatchDashboard(this, 'dashboard', {
      dashboardName: deployment.name,
      dashboardBody: dashboardBody(deployment, resources),
    });
    this.node.defaultChild = this.dashboard;
  }
}
