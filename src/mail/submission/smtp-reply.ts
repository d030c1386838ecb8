export type SmtpReply = { smtpCode: number | null; enhancedCode: string | null; response: string };

/** Parses an SMTP reply (RFC 5321) with its enhanced code (RFC 3463). Codes are null if it is malformed; text on one line. */
export function parseReply(reply: string): SmtpReply {
  const code = /^([2-5]\d\d)(?:[ -]|\r?\n|$)/.exec(reply)?.[1];
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?:\s|$)/.exec(reply)?.[1];
  return { smtpCode: code ? Number(code) : null, enhancedCode: (code && enhanced) || null, response: oneLine(reply) };
}

/** The queue id in an acceptance by Postfix, the sandbox, Exim or Sendmail, or null. */
export function queueIdOf(reply: string): string | null {
  return (
    QUEUE_ID.exec(reply)
      ?.slice(1)
      .find((id) => id !== undefined) ?? null
  );
}

/** One line of at most 1000 characters, without control characters. */
export function oneLine(text: string): string {
  return text
    .slice(0, 4000)
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, 1000)
    .toWellFormed();
}

const QUEUE_ID =
  /\bqueued as ([A-Za-z0-9]{1,64})\b|\bOK id=([A-Za-z0-9-]{1,64})\b|^250 2\.0\.0 ([A-Za-z0-9]{8,64}) Message accepted/i;
