import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's default credential chain in the bundles: Lambda passes credentials to a function in the environment. The rest of the
 * chain (profiles, SSO, instance metadata) is a third of the bundle and of its import time, and a function that runs on a person's machine
 * would use that person's credentials.
 */
export const defaultProvider = fromEnv;
