import { fromEnv } from '@aws-sdk/credential-provider-env';

/** In Lambda the credentials are environment variables. The rest of the SDK's default credential chain would be a third of a bundle. */
export const defaultProvider = fromEnv;
