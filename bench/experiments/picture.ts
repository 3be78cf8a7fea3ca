/** `npm run bench picture`: draws the first seconds of `npm start`, for the README. */
import { writeFileSync } from 'node:fs';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { loadConfigFile } from '../../stacks/config/config-file.ts';
import type { Moment } from '../demo/live/moment.ts';
import { runMainJob } from '../demo/main-job.ts';
import { drawPicture, SECONDS } from './support/draw-picture.ts';
import { defineExperiment } from './support/experiment.ts';

const FILE = 'bench/results/picture.svg';

export default defineExperiment({
  name: 'picture',
  about: `
Runs \`npm start\`, and draws the ${SECONDS} seconds around the first expiries as an SVG that moves: what is in the table, what was seen to be
deleted, and the lag. Writes ${FILE}.`,
  flags: {},
  holds: 'every promise was kept, and the picture is drawn',
  async run({ show, signal }) {
    const moments: Moment[] = [];
    const dynamoDb = await startDynamoDbLocal();
    const { result, violations, doubts } = await runMainJob({
      dynamoDb,
      config: await loadConfigFile(undefined),
      ...{ table: undefined, by: undefined, archive: false, resultFile: undefined },
      ...{ rate: 20, minutes: 2, seed: 1, signal },
      output: { write: () => undefined },
      show(moment) {
        moments.push(moment);
        show(`recorded ${moments.length} moments`);
      },
    }).finally(() => dynamoDb.stop());
    if (result.verdict === 'kept') writeFileSync(FILE, drawPicture(moments));
    const text = `The verdict of the run: ${result.verdict}`;
    return { text, data: result, problems: violations, unproven: doubts };
  },
});
