import type { DemoMessage } from './demo-message';

/** The content of mail.received.full: the whole message, kept short. */
export function fullContent(
  { row }: DemoMessage,
  { to, domain, senderName }: { to: string; domain: string; senderName: string },
) {
  const { message_id, from_address: from, subject, queue_id, size_bytes: size, spam_score, created_at } = row;
  const text = `Hello,\n\n${subject || 'see below'}.\n\nKind regards\n${senderName}\n`;
  return {
    message_id,
    from: { name: senderName, email: from },
    to: [{ name: '', email: to }],
    cc: [],
    reply_to: { name: '', email: from },
    reply_to_all: [{ name: '', email: from }],
    subject,
    body_text: text,
    body_html: `<p>${text.trim().replaceAll('\n\n', '</p><p>').replaceAll('\n', '<br>')}</p>`,
    attachments: [],
    headers: {
      From: `${senderName} <${from}>`,
      To: to,
      Subject: subject,
      Date: created_at.toUTCString(),
      'Message-ID': message_id,
    },
    envelope: { mail_from: from, rcpt_to: [to] },
    domain,
    size,
    spam_score,
    spam_action: 'no action',
    queue_id,
  };
}
