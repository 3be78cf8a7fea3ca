import type { DeploymentConfig } from '../../config/config.ts';
import { type Deployment, deploymentOf } from '../../config/deployments.ts';
import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../../config/props.ts';
import type { ExpiryModel } from '../../expiry/model.ts';

/** The subject of a look: a table of the configuration, with its region and the deployment that sweeps it. */
export interface Subject {
  readonly props: ResolvedProps;
  readonly model: ExpiryModel;
  /** The deployment that sweeps the table, with all its tables. */
  readonly deployment: Deployment;
  readonly region: string;
}

/** The subjects for these tables of a configuration. */
export function subjectsOf(config: DeploymentConfig, tables: readonly PreciseTtlProps[]): Subject[] {
  const all = config.tables.map(resolveProps);
  return tables.map(table => {
    const props = resolveProps(table);
    const deployment = deploymentOf(all.filter(({ sweep }) => sweep === props.sweep));
    return { props, model: modelOf(table), deployment, region: config.region };
  });
}
