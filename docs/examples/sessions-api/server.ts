import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { serve } from '@hono/node-server';
import { createApp } from './app.ts';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient());
serve({ fetch: createApp({ documents }).fetch, port: Number(process.env['PORT'] ?? 3000) });
