import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { readMessage } from '@/mail/mime/message';
import { type Part, readPart } from '@/mail/mime/parts';
import { viewOf } from '@/modules/messages/content/jobs/view';
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
