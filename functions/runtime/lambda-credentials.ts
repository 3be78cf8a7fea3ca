import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in for the SDK's default credential chain in the bundles: Lambda hands a function its credentials in the
 * environment. The rest of the chain (profiles, SSO, instance metadata) is a third of the bundle and of its import
 * time, and would let a function that runs on somebody's machine find that person's credentials.
 */
export const defaultProvider = fromEnv;
