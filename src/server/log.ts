import pino from 'pino';

/** One JSON line an entry. Callers log named fields only, never a request object. */
export const log = pino({
  level: process.env.LOG_LEVEL ?? 'info',
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { error: pino.stdSerializers.err },
});
