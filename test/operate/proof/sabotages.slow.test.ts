import { testSabotages } from '../../support/proof-sabotages.ts';

// The project tests a proof with a day of 100,000 expiries.
testSabotages(100_000);
