import { testDay, testSabotages } from '../../support/proof-sabotages.ts';

describe('a proof', () => testDay(500));
describe('a proof that was falsified', () => testSabotages(500));
