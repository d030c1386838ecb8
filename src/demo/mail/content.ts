import { contentSettled, keepContent } from '@/modules/messages/content/keeping/keep';
import { prepareContentStore } from '@/modules/messages/content/store';
import { composeMessage } from '@/modules/sending/composing/compose';
import type { OutgoingMessage } from '@/modules/sending/schema';
import type { Database } from '@/server/database/db';

const MESSAGES = 400;
const SMTP_SOURCE = { path: ['source'], equals: 'smtp' };

type Known = {
  sizeBytes: number;
  fromAddress: string;
  subject: string;
  recipients: { address: string; kind: 'to' | 'cc' | 'bcc' }[];
};

/** Keeps content of the newest messages, except those that a mailbox submitted by SMTP, of which there would be none. */
export async function seedContent(db: Database): Promise<void> {
  await prepareContentStore();
  const messages = await db.message.findMany({
    where: { events: { none: { type: 'queued', detail: SMTP_SOURCE } } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MESSAGES,
    select: {
      id: true,
      messageId: true,
      domainId: true,
      fromAddress: true,
      subject: true,
      sizeBytes: true,
      createdAt: true,
      recipients: { select: { address: true, kind: true } },
    },
  });
  for (const { id, messageId, domainId, createdAt: at, ...known } of messages) {
    const { raw, sizeBytes } = composeMessage(written(known), { messageId, date: at });
    keepContent({ messageId: id, domainId, sizeBytes, at, read: async () => new Uint8Array(raw) });
  }
  await contentSettled();
}

function written({ fromAddress, subject, recipients, sizeBytes: total }: Known): OutgoingMessage {
  const of = (kind: 'to' | 'cc') =>
    recipients.filter((one) => one.kind === kind).map(({ address }) => ({ email: address }));
  const company = fromAddress.slice(fromAddress.lastIndexOf('@') + 1);
  const cc = of('cc');
  return {
    from: { email: fromAddress },
    to: of('to'),
    ...(cc.length > 0 && { cc }),
    subject,
    text_body: `Hello,\n\nthis is about “${subject || 'our conversation'}”. Call us if anything is unclear.\n\nKind regards\n${company}\n`,
    html_body: page(subject, company),
    ...(/invoice|receipt|credit/i.test(subject) && { attachments: [invoice(subject, total)] }),
  };
}

function page(subject: string, company: string): string {
  return `<div style="max-width:560px;margin:0 auto;font-family:Georgia,serif;color:#222">
<img src="https://${company}/logo.png" alt="${company}" width="120">
<h1 style="font-size:22px;line-height:28px;border-bottom:1px solid #ccc;padding-bottom:12px">${escaped(subject || 'Hello')}</h1>
<p>Hello,</p>
<p>this is about <b>${escaped(subject || 'our conversation')}</b>. Call us if anything is unclear.</p>
<p><a href="https://${company}/account" style="color:#7a2e1f">Open your account</a></p>
<p style="color:#666;font-size:12px">${company}</p>
</div>`;
}

function invoice(subject: string, total: number) {
  // As large as the message says.
  const pdf = Buffer.from(`%PDF-1.4\n${' '.repeat(Math.round(total * 0.7))}\n%%EOF\n`);
  const filename = `${subject.replaceAll(/[^\w-]+/g, '-').slice(0, 60)}.pdf`;
  return { filename, content_type: 'application/pdf', content: pdf.toString('base64') };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
