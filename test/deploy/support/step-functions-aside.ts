import { type PassingOn, startPassingOn } from './pass-on.ts';

/** How a request says that it is for Step Functions, in AWS JSON 1.0. */
const STEP_FUNCTIONS = /^AWSStepFunctions\./;

/** One endpoint for two emulators: the stub provider takes the same one for all services. */
export function stepFunctionsAside(stepFunctions: string, others: string): Promise<PassingOn> {
  return startPassingOn(({ headers }) => {
    const target = String(headers['x-amz-target'] ?? '');
    return STEP_FUNCTIONS.test(target) ? stepFunctions : others;
  });
}
