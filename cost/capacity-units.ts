/** Write units for writing or deleting an item of so many bytes; at least one. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Read units for a consistent read of items of so many bytes together; at least one. An eventually consistent one costs half. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
