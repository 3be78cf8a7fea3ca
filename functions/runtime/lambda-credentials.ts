import { fromEnv } from '@aws-sdk/credential-provider-env';

/** Replaces the SDK's default credential chain, which would be a third of a bundle: in Lambda the credentials are environment variables. */
export const defaultProvider = fromEnv;
