/** The account of every ARN in the local cloud: the one AWS uses in its examples. */
export const LOCAL_ACCOUNT = '123456789012';
