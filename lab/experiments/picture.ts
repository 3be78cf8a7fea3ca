/** `npm run bench picture`: records the first seconds of `npm start`, for the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { FlagError } from '../../cli/flags.ts';
import { runMainJob } from '../../cli/main-job.ts';
import { loadConfigFile } from '../../config/config-file.ts';
import type { Moment } from '../demo/live/moment.ts';
import { drawRecording } from './picture/draw.ts';
import { RECORDED_SECONDS, type Recording, recordingOf } from './picture/recording.ts';
import { defineExperiment, type Outcome, plotBeside, REAL_TIME } from './support/experiment.ts';

const FLAGS = {
  ...REAL_TIME,
  minutes: { ...REAL_TIME.minutes, default: 2 },
  rate: { ...REAL_TIME.rate, default: 20 },
  draw: { type: 'switch', help: 'only draw the picture of an earlier result again, beside it' },
} as const;

export default defineExperiment({
  name: 'picture',
  about: `
Runs \`npm start\`, and records the ${RECORDED_SECONDS} seconds in which the first sessions expire: what is in the table, what was seen to be deleted, and the
lag. Draws them as an SVG that moves, beside the result.`,
  flags: FLAGS,
  holds: 'every promise was kept, and the picture is drawn',
  file: 'picture.json',
  async run({ flags, progress, problems, signal, file }): Promise<Outcome> {
    if (flags.draw) return drawAgain(file);
    const moments: Moment[] = [];
    const { rate, minutes, seed } = flags;
    const { result, violations, doubts } = await runMainJob({
      config: await loadConfigFile(undefined),
      ...{ table: undefined, by: undefined, archive: false, resultFile: undefined },
      ...{ rate, minutes, seed, signal },
      output: { write: () => undefined },
      show(moment) {
        moments.push(moment);
        progress.show(`recorded ${moments.length} moments`);
      },
    });
    for (const violation of violations) problems.add(violation);
    const recording = recordingOf(moments);
    return {
      result: recording,
      plot: drawn({ settings: { rate }, ...recording }),
      unproven: doubts,
      text: `The verdict of the run: ${result.verdict}`,
    };
  },
});

interface Recorded extends Recording {
  readonly settings: { readonly rate: number };
}

function drawn({ settings, columns, figures }: Recorded): string {
  const about = `${RECORDED_SECONDS} seconds of a real run: ${settings.rate} sessions expire each second`;
  return drawRecording({ columns, figures }, about);
}

/** Draws an earlier recording again. @throws {FlagError} for a file that is no recording */
function drawAgain(file: string): Outcome {
  let recorded: Recorded;
  try {
    recorded = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new FlagError(
      `--json: expected a result of npm run bench picture, got ${file}: ${error}; run that first`,
    );
  }
  writeFileSync(plotBeside(file), drawn(recorded));
  return {};
}
