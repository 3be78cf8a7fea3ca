/** `npm run bench picture`: records the first seconds of `npm start`, for the README. */
import { writeFileSync } from 'node:fs';
import { writableFile } from '../../cli/files.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { loadConfigFile } from '../../stacks/config/config-file.ts';
import type { Moment } from '../demo/live/moment.ts';
import { runMainJob } from '../demo/main-job.ts';
import { drawRecording } from './picture/draw.ts';
import { RECORDED_SECONDS, recordingOf } from './picture/recording.ts';
import { defineExperiment, realTime, textFlag } from './support/experiment.ts';

const FLAGS = {
  ...realTime(2),
  svg: textFlag('FILE', 'bench/results/picture.svg', 'where the picture is drawn'),
} as const;

export default defineExperiment({
  name: 'picture',
  about: `
Runs \`npm start\`, and records the ${RECORDED_SECONDS} seconds in which the first sessions expire: what is in the table, what was seen to be deleted, and the
lag. Draws them as an SVG that moves.`,
  flags: FLAGS,
  holds: 'every promise was kept, and the picture is drawn',
  async run({ flags, show, signal }) {
    const file = writableFile('--svg', flags.svg);
    const moments: Moment[] = [];
    const { rate, minutes, seed } = flags;
    const dynamoDb = await startDynamoDbLocal();
    const { result, violations, doubts } = await runMainJob({
      dynamoDb,
      config: await loadConfigFile(undefined),
      ...{ table: undefined, by: undefined, archive: false, resultFile: undefined },
      ...{ rate, minutes, seed, signal },
      output: { write: () => undefined },
      show(moment) {
        moments.push(moment);
        show(`recorded ${moments.length} moments`);
      },
    }).finally(() => dynamoDb.stop());
    if (doubts.length === 0 && !signal.aborted) {
      const about = `${RECORDED_SECONDS} seconds of a real run: ${rate} sessions expire each second`;
      writeFileSync(file, drawRecording(recordingOf(moments), about));
    }
    const text = `The verdict of the run: ${result.verdict}`;
    return { text, data: result, problems: violations, unproven: doubts };
  },
});
