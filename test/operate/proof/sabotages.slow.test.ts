import { testSabotages } from '../../support/proof-sabotages.ts';

// The measure of the project for a proof: a day with 100,000 expiries.
testSabotages(100_000);
