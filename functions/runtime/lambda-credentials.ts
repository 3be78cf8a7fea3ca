import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's default credential chain in the bundles: a function in Lambda finds its credentials in environment variables. The rest
 * of the chain (profiles, SSO, instance metadata) would be a third of the bundle and of its import time. With the rest, a function that
 * runs on a person's machine could use that person's credentials.
 */
export const defaultProvider = fromEnv;
