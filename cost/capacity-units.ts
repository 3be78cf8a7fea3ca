export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Of a consistent read of items of so many bytes together. An eventually consistent read costs half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
