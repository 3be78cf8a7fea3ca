import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's default credential chain in the bundles: Lambda passes credentials to a function in the environment. The rest of the
 * chain (profiles, SSO, instance metadata) is a third of the bundle and of its import time, and would let a function that runs on
 * somebody's machine use that person's credentials.
 */
export const defaultProvider = fromEnv;
