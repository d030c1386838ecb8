import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMessage } from '@/mail/mime/message';

/** The expected fields of a message; the others aren't compared. */
type Expected = {
  attachments?: { filename: string | null; mimeType: string; contentId?: string; disposition?: string; text?: string; base64?: string }[];
  [field: string]: unknown;
};

const FOLDER = `${import.meta.dirname}/mail`;

function read(raw: Uint8Array, { attachments, ...fields }: Expected) {
  const { header, attachments: files, ...message } = readMessage(raw);
  const found = {
    ...message,
    subject: header.value('subject'),
    from: header.addresses('from')[0],
    to: header.addresses('to'),
    attachments: files.map(({ content, ...file }, index) => ({
      ...file,
      ...(attachments?.[index]?.text !== undefined && { text: Buffer.from(content).toString() }),
      ...(attachments?.[index]?.base64 !== undefined && { base64: Buffer.from(content).toString('base64') }),
    })),
  };
  const names = [...Object.keys(fields), ...(attachments ? ['attachments'] : [])];
  return Object.fromEntries(Object.entries(found).filter(([name]) => names.includes(name)));
}

/** Messages as other programs send them, each beside what is read of it. */
describe.each(readdirSync(FOLDER))('%s', (kind) => {
  const names = readdirSync(`${FOLDER}/${kind}`).flatMap((name) => (name.endsWith('.eml') ? [name.slice(0, -4)] : []));

  it.each(names)('%s is read', (name) => {
    const fileOf = (type: string) => readFileSync(`${FOLDER}/${kind}/${name}.${type}`);
    const expected: Expected = JSON.parse(fileOf('json').toString());
    const found = read(fileOf('eml'), expected);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    expect(found).toMatchObject(expected);
  });
});
