import { EmulatorError, NotLoopbackError } from 'stepfunctions-emulator';
import { isEmulatorError } from '../../cli/run-command.ts';
import { PreciseTtlError } from '../../expiry/index.ts';

test.each<[boolean, unknown]>([
  [true, new EmulatorError('any')],
  [true, new NotLoopbackError('any')],
  [false, new PreciseTtlError('any')],
  [false, new TypeError('EmulatorError')],
  [false, 'EmulatorError'],
  [false, undefined],
])('%p: %p', (expected, error) => {
  expect(isEmulatorError(error)).toBe(expected);
});
