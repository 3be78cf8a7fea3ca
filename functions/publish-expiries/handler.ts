/** Part events writes it. */
export const handler = (): Promise<never> => Promise.reject(new Error('not written yet'));
