import { testSabotages } from '../../support/proof-sabotages.ts';

testSabotages(500);
