import pino from 'pino';
import { readSettings } from './settings/settings.mjs';

/** Lines that can't be written are kept up to this size, and written once they can be. */
const MAX_KEPT_BYTES = 1_048_576;

// Not in the background: then pino waits at the exit of the process until they are written, forever on a full disk. Nor is a line tried
// again at once if a reader is slow, since all requests would wait for it: the next line takes it along.
const output = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_BYTES, retryEAGAIN: () => false });
// A full disk or a closed terminal costs lines, and there is nowhere to say so. Without a listener it would end the process.
output.on('error', () => {});
// Libraries write there, too. Next.js writes an uncaught error to stderr, which would be the next uncaught error if stderr is closed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** Writes one JSON line per entry. Log named fields only, never a request object. */
export const log = pino(
  {
    level: readSettings({ LOG_LEVEL: process.env.LOG_LEVEL }).logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: pino.stdSerializers.err },
  },
  output,
);
