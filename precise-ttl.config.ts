import { defineConfig } from './stacks/config/config.ts';

/**
 * The deployment's configuration. Every field is described in docs/reference/configuration.md; a wrong or misspelt one is refused before
 * anything is synthesized.
 */
export default defineConfig({
  region: 'us-east-1',

  // Terraform's state. For a team: { backend: 's3', bucket: 'my-terraform-state' }
  state: { backend: 'local' },

  tags: { project: 'precise-ttl' },

  tables: [
    {
      tableName: 'SessionData',
      partitionKey: 'UserName',
      sortKey: 'SessionId',
      ttlAttribute: 'ExpirationTime',
    },
  ],
});
