import pino from 'pino';
import { readSettings } from './settings/settings.mjs';

/** Writes one JSON line per entry. Log named fields only, never a request object. */
export const log = pino({
  level: readSettings({ LOG_LEVEL: process.env.LOG_LEVEL }).logLevel,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { error: pino.stdSerializers.err },
});
