import { ApiServer, type Executions } from 'stepfunctions-emulator';
import type { DeploymentConfig } from '../../config/config.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { dynamoDbOfFile } from './local-dynamodb.ts';

/** A deployment without schedules, whose state machines are started by the API of Step Functions. */
export interface ServedMachines {
  readonly cloud: LocalCloud;
  /** Of the API. */
  readonly endpoint: string;
  readonly executions: Executions;
  /** What is done to the calls of one function. A test may change it at any time. */
  readonly calls: {
    /** They wait for it. */
    gate: Promise<void>;
    /** Then they fail. */
    fail: boolean;
  };
  stop(): Promise<void>;
}

/**
 * Serves what is synthesized of a configuration.
 *
 * @param task how the name of the function ends whose calls a test can hold, or let fail
 */
export async function serveMachines(config: DeploymentConfig, task: string): Promise<ServedMachines> {
  const calls = { gate: Promise.resolve(), fail: false };
  const cloud = await LocalCloud.start({
    stack: plainStack(config),
    dynamoDb: dynamoDbOfFile(),
    environment: {},
    schedules: false,
    functions: {
      maxConcurrency: 2,
      async wrap({ functionName }, next) {
        if (!functionName.endsWith(task)) return next();
        await calls.gate;
        return calls.fail ? { ok: false, errorType: 'Broken', errorMessage: 'as the test wants it' } : next();
      },
    },
  });
  const server = await ApiServer.start(cloud.stepFunctions);
  return {
    cloud,
    endpoint: server.endpoint,
    executions: cloud.stepFunctions.executions,
    calls,
    async stop() {
      await server.stop();
      await cloud.stop();
    },
  };
}
