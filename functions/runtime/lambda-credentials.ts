import { fromEnv } from '@aws-sdk/credential-provider-env';

/** Reads the credentials from Lambda's environment variables. The SDK's default credential chain would be a third of a bundle. */
export const defaultProvider = fromEnv;
