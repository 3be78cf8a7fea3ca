/** Verifies a local cloud by the wall clock, as a process that can be killed. Arguments: the endpoint of a DynamoDB Local, and a name. */

import { attachDynamoDb } from 'aws-on-loopback/dynamodb/dynamodb-local';
import { realClock } from 'stepfunctions-emulator';
import { stopOnSignal } from '../../cli/signals.ts';
import { verifyLocalCloud } from './verified-cloud.ts';

const [endpoint = '', name = ''] = process.argv.slice(2);
const { signal } = stopOnSignal();
const dynamoDb = await attachDynamoDb(endpoint, 'endpoint');
const tell = (text: string) => process.stdout.write(`${text}\n`);
await verifyLocalCloud(
  { dynamoDb, clock: realClock, name },
  { minutes: 10, print: tell, onProgress: tell, signal },
).catch((error: Error) => tell(error.name));
