import { MAX_BATCH } from '../../schema';

type ParsedBatch = { messages: unknown[] } | { error: string };

export function sampleBatch(domain: string, email: string): string {
  const message = (subject: string) => ({
    from: { email: `postmaster@${domain}` },
    to: [{ email }],
    subject,
    text_body: 'Sent as one batch.',
  });
  return JSON.stringify({ messages: [message('First of two'), message('Second of two')] }, null, 2);
}

/** The messages of a batch, from `{"messages": […]}` or a bare list, or the reason the text isn't a batch. */
export function readBatch(text: string): ParsedBatch {
  const value = parse(text);
  if ('error' in value) return value;
  const messages = Array.isArray(value.json) ? value.json : (value.json as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return { error: 'Enter an object such as {"messages": […]}.' };
  if (messages.length === 0) return { error: 'Enter at least one message.' };
  if (messages.length > MAX_BATCH) {
    return { error: `Enter at most ${MAX_BATCH} messages. This batch has ${messages.length}.` };
  }
  return { messages };
}

function parse(text: string): { json: unknown } | { error: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { error: `This isn’t valid JSON: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}
