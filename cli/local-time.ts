/** `09:01:00Z` */
export const localTime = (epochMilliseconds: number): string =>
  `${new Date(epochMilliseconds).toISOString().slice(11, 19)}Z`;
