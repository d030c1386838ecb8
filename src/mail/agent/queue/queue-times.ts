import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueuedMessage } from '../requests';

/** The settings of Postfix that tell where its queue files are and how long it keeps them. */
export const TIME_SETTINGS = [
  'queue_directory',
  'hash_queue_names',
  'hash_queue_depth',
  'maximal_queue_lifetime',
  'bounce_queue_lifetime',
];

export type QueueSettings = {
  folder: string;
  /** How many folders, each named by a digit, a deferred message is below. */
  depth: number;
  /** Null for a time that isn't a number with a unit. */
  lifetimeMs: number | null;
  /** The lifetime of messages without a sender. */
  bounceLifetimeMs: number | null;
};

/** Logs why a time is missing from the list. */
export type Warn = (error: unknown, text: string) => void;

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads what `postconf` prints for TIME_SETTINGS. */
export function parseQueueSettings(text: string): QueueSettings {
  const settingOf = (name: string) => new RegExp(`^${name} =[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  const isHashed = settingOf('hash_queue_names')
    .split(/[\s,]+/)
    .includes('deferred');
  return {
    folder: settingOf('queue_directory'),
    depth: isHashed ? Number(settingOf('hash_queue_depth')) : 0,
    lifetimeMs: durationOf(settingOf('maximal_queue_lifetime')),
    bounceLifetimeMs: durationOf(settingOf('bounce_queue_lifetime')),
  };
}

/** @param text a number with a unit; without one, days */
function durationOf(text: string): number | null {
  const [, amount, unit = 'd'] = /^(\d+)([smhdw])?$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNIT_MS[unit] ?? 0);
}

/**
 * Adds to messages when Postfix gives them up, and when it next tries those that are deferred. A message of which that can't be known has
 * null.
 */
export function withTimes(messages: QueuedMessage[], settings: QueueSettings, warn: Warn): Promise<QueuedMessage[]> {
  return Promise.all(
    messages.map(async (message) => ({
      ...message,
      expiresAt: expiryOf(message, settings),
      nextAttemptAt: message.queue === 'deferred' ? await nextAttemptOf(message, settings, warn) : null,
    })),
  );
}

/** Postfix doesn't look at the age of a message on hold. It gives up one that is too old after the first attempt that follows its release. */
function expiryOf({ queue, arrivedAt, from }: QueuedMessage, settings: QueueSettings): string | null {
  const lifetimeMs = lifetimeOf(from, settings);
  if (queue === 'hold' || lifetimeMs === null) return null;
  return new Date(Date.parse(arrivedAt) + lifetimeMs).toISOString();
}

export function lifetimeOf(sender: string, { lifetimeMs, bounceLifetimeMs }: QueueSettings): number | null {
  return sender === '' ? bounceLifetimeMs : lifetimeMs;
}

/** Postfix sets the modification time of a deferred message's file to the time of its next attempt. */
async function nextAttemptOf(
  { queueId }: QueuedMessage,
  { folder, depth }: QueueSettings,
  warn: Warn,
): Promise<string | null> {
  try {
    const { mtime } = await stat(join(folder, 'deferred', ...hashOf(queueId).slice(0, depth), queueId));
    return mtime.toISOString();
  } catch (error) {
    // Without the file, the message has left the queue since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') warn(error, `the next attempt of ${queueId} is unknown`);
    return null;
  }
}

const LONG_ID = /(.{4})z[^z]*$/;
const BASE_52 = '0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz';

/** The digits that Postfix names folders by: the microseconds in hexadecimal, which begin a short queue ID and are within a long one. */
function hashOf(queueId: string): string {
  const [, digits] = LONG_ID.exec(queueId) ?? [];
  if (digits === undefined) return queueId;
  const microseconds = [...digits].reduce((value, digit) => value * BASE_52.length + BASE_52.indexOf(digit), 0);
  return microseconds.toString(16).toUpperCase().padStart(5, '0');
}
