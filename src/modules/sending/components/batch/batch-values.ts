const MAX_MESSAGES = 100;

type Batch = { messages: unknown[] } | { fault: string };

export function sampleBatch(domain: string, email: string): string {
  const message = (subject: string) => ({
    from: { email: `postmaster@${domain}` },
    to: [{ email }],
    subject,
    text_body: 'Sent in one call.',
  });
  return JSON.stringify({ messages: [message('First of two'), message('Second of two')] }, null, 2);
}

/** The messages in what was typed, `{"messages": […]}` or the list alone; else what keeps it from being a batch. */
export function readBatch(text: string): Batch {
  const value = parse(text);
  if ('fault' in value) return value;
  const messages = Array.isArray(value.json) ? value.json : (value.json as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(messages)) return { fault: 'Expected {"messages": […]}.' };
  if (messages.length === 0) return { fault: 'A batch has at least one message.' };
  if (messages.length > MAX_MESSAGES) {
    return { fault: `A batch has at most ${MAX_MESSAGES} messages; this has ${messages.length}.` };
  }
  return { messages };
}

function parse(text: string): { json: unknown } | { fault: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { fault: `This is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
}
