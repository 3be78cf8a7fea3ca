import { CloudwatchQueryDefinition } from '@cdktf/provider-aws/lib/cloudwatch-query-definition/index.js';
import { Construct } from 'constructs';

export interface SavedQueriesProps {
  /** Name of the deployment. */
  readonly name: string;
  /** Names of the log groups that a query looks through. */
  readonly logs: {
    readonly recordMetrics: string;
    readonly all: readonly string[];
  };
}

/** Queries of Logs Insights, which cost nothing until somebody runs one. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { name, logs }: SavedQueriesProps) {
    super(scope, id);
    const queries: Readonly<Record<string, readonly [logs: readonly string[], query: string]>> = {
      'last-sweeps': [
        [logs.recordMetrics],
        'fields @timestamp, table, found, deleted, failed, leftForLater, durationMs | filter message = "swept" | sort @timestamp desc | limit 100',
      ],
      failures: [
        logs.all,
        'fields @timestamp, @log, message, error.name, error.message, type, details.error, details.cause | filter level in ["ERROR", "WARN"] or type like /Failed|TimedOut/ | sort @timestamp desc | limit 200',
      ],
      'one-key': [
        logs.all,
        'fields @timestamp, @log, @message | filter @message like "the key, or its hash" | sort @timestamp desc | limit 100',
      ],
      // A chunk that succeeds logs nothing: its time is in that of its sweep.
      'slowest-sweeps': [
        [logs.recordMetrics],
        'fields @timestamp, table, durationMs, deleted, throttled, retries | filter message = "swept" | sort durationMs desc | limit 50',
      ],
    };
    for (const [query, [logGroupNames, queryString]] of Object.entries(queries))
      new CloudwatchQueryDefinition(this, query, {
        name: `${name}/${query}`,
        queryString,
        logGroupNames: [...logGroupNames],
      });
  }
}
