import type { JsonObject } from '../json.ts';
import type { EngineContext } from '../run/run.ts';
import type { CallOutcome } from './function-call.ts';

/**
 * The result of the optimised integration lambda:invoke: the function's payload inside the AWS SDK for Java's form of the HTTP answer.
 * Step Functions parses Payload, so it is JSON here and not a string.
 */
export function invokeResult(
  engine: EngineContext,
  returned: Extract<CallOutcome, { kind: 'returned' }>,
): JsonObject {
  const requestId = engine.newId();
  const headers: Record<string, string> = {
    Connection: 'keep-alive',
    'Content-Length': String(Buffer.byteLength(returned.payload.text)),
    'Content-Type': 'application/json',
    Date: new Date(engine.clock.now()).toUTCString(),
    'X-Amz-Executed-Version': returned.executedVersion,
    'x-amzn-Remapped-Content-Length': '0',
    'x-amzn-RequestId': requestId,
    'X-Amzn-Trace-Id': `Root=1-${Math.floor(engine.clock.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`,
  };
  return {
    ExecutedVersion: returned.executedVersion,
    Payload: returned.payload.value,
    SdkHttpMetadata: {
      AllHttpHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      HttpHeaders: headers,
      HttpStatusCode: 200,
    },
    SdkResponseMetadata: { RequestId: requestId },
    StatusCode: 200,
  };
}
