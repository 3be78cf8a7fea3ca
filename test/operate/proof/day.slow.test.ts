import { testDay } from '../../support/proof-sabotages.ts';

// The project tests a proof with a day of 100,000 expiries. What each falsification is called is tested with 500 of them.
testDay(100_000);
