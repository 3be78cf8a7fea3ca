/** `precise-ttl destroy`: removes everything except the tables and the archive buckets. See `--help`. */
import { change } from './deploy/change.ts';
import { CHANGE_FLAGS, TERRAFORM_HELP } from './deploy/flags.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: CHANGE_FLAGS,
  help: flags => `npx precise-ttl destroy [flags]

Removes everything that npx precise-ttl deploy has provisioned except the tables, which keep their items, their indexes and native
TTL, and the buckets of their archives. Queues go with their messages, the topics of alarms with their subscriptions, and logs. It
deploys an empty stack; a plain terraform destroy is refused while the stack manages a table. It asks before it changes anything;
without a terminal to ask at it refuses, unless you give --yes. Delete a table yourself:
docs/operate.md of precise-ttl, "How do I stop sweeping a table?".

${flags}

${TERRAFORM_HELP}

Exit status: 0 removed, 1 not, 2 wrong flags.`,
  run: flags =>
    change(flags, {
      ask: 'Queues go with their messages, topics with their subscriptions, and logs. Remove this?',
      removed: true,
    }),
});
