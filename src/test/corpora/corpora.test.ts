import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { readMessage } from '@/mail/mime/message';
import { mailServerCalls } from '@/modules/messages/service';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { differences, type Received } from './compare';

// npm run test:corpora fetches and prepares them.
const FOLDER = process.env.CORPORA as string;
const AT_ONCE = 8;
const MB = 1024 * 1024;
// Share of messages whose difference nobody has looked at.
const MAX_UNDECIDED = 0.002;

it('reads all messages of the corpora like Python, or better', { timeout: 900_000 }, async () => {
  const { client } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * MB });
  const domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  const webhook = {
    url: 'https://hooks.example',
    events: ['mail.received.full'],
    secret: randomBytes(8),
    createdBy: uuidv7(),
  };
  await db.webhook.create({ data: webhook });
  // A message with the line that tests spam filters is blocked, and has no event.
  const names = readdirSync(`${FOLDER}/messages`)
    .flatMap((name) => (name.endsWith('.eml') ? [name.slice(0, -4)] : []))
    .filter((name) => !readFileSync(`${FOLDER}/messages/${name}.eml`).includes('GTUBE-STANDARD'));
  expect(new Set(names.map((name) => name.replace(/-[0-9a-f]+$/, ''))).size).toBeGreaterThanOrEqual(10);

  const undecided: Record<string, unknown> = {};
  const read = async (name: string) => {
    const fileOf = (type: string) => readFileSync(`${FOLDER}/messages/${name}.${type}`);
    const envelope = { from: 'bo@far.example', to: `ann@${domain.name}` };
    const { response } = await client.sendMail({ envelope, raw: fileOf('eml') });
    const { subject, data } = await receivedAs(/queued as (\w+)/.exec(response)?.[1] as string);
    const found = differences(subject, data, JSON.parse(fileOf('json').toString()));
    if (found.length > 0) undecided[name] = found;
  };
  await pLimit(AT_ONCE).map(names, read);
  expect(undecided, `of ${names.length} messages`).toSatisfy(
    (found: object) => Object.keys(found).length <= MAX_UNDECIDED * names.length,
  );
});

it('reads 10,000 generated texts of every charset, encoding and place', () => {
  const cases = readFileSync(`${FOLDER}/generated.jsonl`, 'utf8').trim().split('\n');
  const wrong: unknown[] = [];
  for (const line of cases) {
    const { case: name, place, text, raw } = JSON.parse(line);
    const found = textIn(Buffer.from(raw, 'base64'), place);
    if (found?.trimEnd() !== text.trimEnd()) wrong.push({ name, text, found });
  }
  expect(cases).toHaveLength(10_000);
  expect(wrong).toEqual([]);
});

/** The stored subject, and the data of the event mail.received.full. */
async function receivedAs(queueId: string): Promise<{ subject: string; data: Received }> {
  const { id, subject } = await db.message.findFirstOrThrow({
    where: { queueId },
    select: { id: true, subject: true },
  });
  const { body, parts } = await db.event.findFirstOrThrow({
    where: { messageRowId: id, type: 'mail.received.full' },
    include: { parts: { orderBy: { position: 'asc' } } },
  });
  const bytes = body === null ? Buffer.concat(parts.map((part) => part.bytes)) : Buffer.from(body);
  return { subject, data: JSON.parse(bytes.toString()).data };
}

function textIn(raw: Buffer, place: string): string | null | undefined {
  const { header, text, html, attachments } = readMessage(raw);
  if (place.endsWith('subject')) return header.value('subject');
  if (place === 'name') return header.addresses('from')[0]?.name;
  if (place.includes('filename')) return attachments[0]?.filename;
  return place === 'html' ? html : text;
}
