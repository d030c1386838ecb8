import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { readMessage } from '@/mail/mime/message';
import { type Part, readPart } from '@/mail/mime/parts';
import { viewOf } from '@/modules/messages/content/jobs/view';
import { parseFields } from '@/modules/messages/inbound/content/fields';
import { checkOutgoingMessage, type MessageError } from '@/modules/sending/composing/check-outgoing-message';
import { composeMessage } from '@/modules/sending/composing/compose';
import { expectValidOnTheWire } from '@/test/composed-message';

/** The parts with the depth of each, the names of the files that the HTML shows, and header fields; or why it is refused. */
type Expected = Accepted | Omit<MessageError, 'message'>;
type Accepted = {
  tree: string[];
  shown: string[];
  headers?: Record<string, string>;
  replyTo?: { name: string; address: string }[];
};

const FOLDER = `${import.meta.dirname}/sending`;
const PYTHON = spawnSync('python3', ['--version']).status === 0;

const cases = readdirSync(FOLDER)
  .filter((file) => /^[\w-]+\.json$/.test(file))
  .map((file) => {
    const read = (name: string) => JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8'));
    const name = file.slice(0, -'.json'.length);
    return { name, request: read(file), expected: read(`${name}.expected.json`) as Expected };
  });

const accepted = cases.flatMap(({ name, request, expected }) => ('tree' in expected ? { name, request, expected } : []));
const refused = cases.flatMap(({ name, request, expected }) => ('code' in expected ? { name, request, expected } : []));

function rawOf(request: unknown): Buffer {
  const checked = checkOutgoingMessage(request);
  if ('code' in checked) throw new Error(JSON.stringify(checked));
  return composeMessage(checked.message, { messageId: '<1@shop.example>', date: new Date(0) }).raw;
}

it.each(accepted)('$name: our own parser reads what was sent', async ({ request, expected }) => {
  const raw = rawOf(request);
  expectValidOnTheWire(raw);
  expect([...treeOf(readPart(raw))]).toEqual(expected.tree);
  const { header, attachments } = readMessage(raw);
  const files: { filename: string; content: string }[] = request.attachments ?? [];
  const found = attachments.map(({ filename, content }) => `${filename}: ${Buffer.from(content).toString('base64')}`);
  expect(found).toEqual(expect.arrayContaining(files.map(({ filename, content }) => `${filename}: ${content}`)));
  const contents = files.map(({ content }) => content);
  for (const { content } of attachments) expect(contents).toContain(Buffer.from(content).toString('base64'));
  for (const [name, value] of Object.entries(expected.headers ?? {})) expect(header.value(name)).toBe(value);
  if (expected.replyTo) expect(header.addresses('reply-to')).toEqual(expected.replyTo);
  const view = await viewOf(raw);
  expect(view.attachments.flatMap(({ inline, filename }) => (inline ? [filename] : []))).toEqual(expected.shown);
});

const OF_THE_TEXT = /^(?:multipart\/|text\/(?:plain|html)$)/;

it.each(accepted)('$name: postal-mime reads what was sent', async ({ request, expected }) => {
  const email = await PostalMime.parse(rawOf(request));
  const files = email.attachments.map(({ mimeType, disposition, contentId, filename }) =>
    [mimeType, disposition, contentId, filename].filter(Boolean).join(' '),
  );
  const leaves = expected.tree.map((line) => line.trim().replace(/ method=.*/, ''));
  expect(files.toSorted()).toEqual(leaves.filter((line) => !OF_THE_TEXT.test(line)).toSorted());
  for (const [name, value] of Object.entries(expected.headers ?? {}))
    expect(email.headers.find(({ key }) => key === name)?.value).toBe(value);
  if (expected.replyTo) expect(email.replyTo).toEqual(expected.replyTo);
});

it.skipIf(!PYTHON)('Python’s email package reads what was sent (if python3 is installed)', () => {
  const input = accepted.map(({ request }) => rawOf(request).toString('base64')).join('\n');
  const { stdout } = spawnSync('python3', [`${FOLDER}/read.py`], { input, encoding: 'utf8' });
  const found = JSON.parse(stdout).map(({ tree, headers }: { tree: string[]; headers: object }, index: number) => ({
    tree,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => Object.hasOwn(accepted[index]?.expected.headers ?? {}, name)),
    ),
  }));
  expect(found).toEqual(accepted.map(({ expected: { tree, headers = {} } }) => ({ tree, headers })));
});

it.each(refused)('$name: is refused with the reason', ({ request, expected }) => {
  expect(checkOutgoingMessage(request)).toMatchObject(expected);
});

function* treeOf(part: Part, depth = 0): Generator<string> {
  const { fields, type, disposition, contentType, children } = part;
  const id = fields.find(({ name }) => name.toLowerCase() === 'content-id')?.raw;
  const filename = disposition.parameter('filename') ?? contentType.parameter('name');
  yield '  '.repeat(depth) + [type, disposition.value, id, filename, ...methodOf(contentType)].filter(Boolean).join(' ');
  for (const child of children) yield* treeOf(child, depth + 1);
}

function methodOf({ parameter }: Part['contentType']): string[] {
  const [method, charset] = [parameter('method'), parameter('charset')];
  if (!method) return [];
  return charset ? [`method=${method}`, `charset=${charset}`] : [`method=${method}`];
}

it.each([
  ['without a name', 'Content-Type: text/calendar; method=REQUEST; charset=utf-8', 'attachment-1.ics', 'text/calendar'],
  ['with a path', 'Content-Type: application/pdf; name="Rechnung 3/2026.pdf"', 'Rechnung 3_2026.pdf', 'application/pdf'],
  ['with a Windows path', 'Content-Type: application/pdf; name="C:\\\\a.pdf"', 'C:_a.pdf', 'application/pdf'],
  ['with a tab', 'Content-Type: application/pdf; name="a\tb.pdf"', 'a b.pdf', 'application/pdf'],
  ['with a name of two dots', 'Content-Type: application/pdf; name=".."', 'attachment-1.pdf', 'application/pdf'],
  ['with a long name', `Content-Type: application/pdf; name="${'x'.repeat(300)}.pdf"`, `${'x'.repeat(251)}.pdf`, 'application/pdf'],
  ['with marks of direction', "Content-Type: application/pdf; name*=utf-8''a%E2%80%AEfdp.exe", 'afdp.exe', 'application/pdf'],
])('a received attachment %s is named the same everywhere, and can be sent on', async (_, type, filename, contentType) => {
  const header = `${type}\r\nContent-Disposition: attachment`;
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${header}\r\n\r\nx\r\n--b--\r\n`);
  const fields = Buffer.from(await parseFields({ raw, mailFrom: 'bo@far.example', headBytes: 0 })).toString();
  const [received] = JSON.parse(`{"data":{${fields}`).data.attachments;
  const named = { filename, content_type: contentType };
  expect(received).toMatchObject(named);
  expect((await viewOf(raw)).attachments).toMatchObject([named]);
  const { size: _size, content_base64: content, ...rest } = received;
  const from = { email: 'ann@shop.example' };
  const checked = checkOutgoingMessage({ from, to: [from], subject: 'Fwd', text_body: 'Hi', attachments: [{ ...rest, content }] });
  expect(checked).toMatchObject({ message: { attachments: [named] } });
});
