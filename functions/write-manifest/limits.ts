/** The longest that Lambda allows. What a call has not done the next one does. */
export const MANIFEST_TIMEOUT_SECONDS = 900;
