export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Read units of a consistent read of items that have this size together. An eventually consistent read takes half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
