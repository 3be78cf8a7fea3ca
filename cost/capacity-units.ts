export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** A consistent read of items of so many bytes together takes so many; an eventually consistent read takes half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
