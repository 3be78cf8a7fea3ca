import setUpTests from '../../support/global-setup.ts';
import { BUILD, buildStubProvider, installEmulator } from '../stub-provider/build.ts';
import { installCheckov, missingTools } from './tools.ts';

/** Besides what all tests share, installs and builds what these do, some minutes the first time: two at once would be in each other's way. */
export default function setUp(): void {
  setUpTests();
  // The tests have a temporary folder of their own, by which they would look for it.
  process.env['STUB_AWS_BUILD'] = BUILD;
  if (missingTools().length > 0) return;
  installEmulator();
  buildStubProvider();
  installCheckov();
}
