export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Read units of a consistent read of items with this total size. An eventually consistent read takes half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
