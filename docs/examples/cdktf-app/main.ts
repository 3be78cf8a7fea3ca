import { App } from 'cdktf';
import { TokensStack } from './tokens-stack.ts';

const app = new App();
new TokensStack(app, 'tokens');
app.synth();
