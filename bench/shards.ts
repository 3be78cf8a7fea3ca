/** `npm run bench:shards`: how evenly the shards of a window share its writes. See `--help`. */
import { runCommand } from '../cli/run-command.ts';
import { KEY_UNITS, shareOf } from './shards/share.ts';

/** The rule: so many items a second for each shard. */
const RULE = 650;

const SECONDS = 30;
const PEAKS = [1_500, 5_000, 16_900, 40_000];

const help = (flags: string) => `npm run bench:shards -- [flags]

Simulates how evenly the shards of a window share its writes, against the ${KEY_UNITS} write units a second that one key of an
index takes: at the number of shards that the rule in docs/configuration.md gives, and around it. It shows what hashing
does, the same in every run. DynamoDB's burst capacity, which takes a short excess, is left out.

${flags}

Exit status: 0 simulated, 2 wrong flags.`;

async function run(): Promise<number> {
  console.log(`${SECONDS} seconds at the peak; a key takes ${KEY_UNITS} items a second\n`);
  console.log('| items a second | shards | for each shard | fullest shard | throttled |');
  console.log('|--:|--:|--:|--:|--:|');
  for (const peak of PEAKS) {
    const byRule = Math.ceil(peak / RULE);
    const least = Math.ceil(peak / KEY_UNITS);
    const candidates = [least - 1, least, byRule - 1, byRule, byRule + 1].filter(shards => shards > 0);
    for (const shards of new Set(candidates)) {
      const { fullest, throttled } = shareOf({ peak, shards, seconds: SECONDS });
      const cells = [
        peak.toLocaleString('en-US'),
        shards === byRule ? `**${shards}**` : shards,
        Math.round(peak / shards).toLocaleString('en-US'),
        fullest.toLocaleString('en-US'),
        `${(throttled * 100).toFixed(1)} %`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  return 0;
}

await runCommand({ flags: {}, help, run });
