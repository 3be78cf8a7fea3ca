/**
 * CDKTF notes for every token where it was made, for the message should it not resolve. Jest maps each such stack trace
 * back to its source, which takes more time than everything else that a synthesis does.
 */
jest.mock('cdktf/lib/tokens/private/stack-trace.js', () => ({ captureStackTrace: () => [] }));
