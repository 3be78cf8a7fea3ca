/** What a runner's process runs; in the package, what the build has made of it. */
export const RUNNER_PROGRAM = new URL('./runner-process.ts', import.meta.url);
