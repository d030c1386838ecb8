import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { setSettings } from '@/test/settings';
import { contentStore, prepareContentStore } from './store';

const objects = new Map<string, Buffer>();
let refusal: string | null = null;

/** Storage without conditional writes. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url = '', headers } = request;
    const name = url.split('?')[0] as string;
    const fail = (status: number, code: string) =>
      response
        .writeHead(status, { 'Content-Type': 'application/xml' })
        .end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    if (headers['if-none-match']) return fail(501, 'NotImplemented');
    if (method === 'PUT' && refusal) return fail(403, refusal);
    if (method === 'PUT') {
      objects.set(name, Buffer.concat(chunks));
      return response.writeHead(200, { ETag: '"x"' }).end();
    }
    const found = objects.get(name);
    return found ? response.writeHead(200).end(found) : fail(404, 'NoSuchKey');
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

setSettings({
  MESSAGE_CONTENT_DAYS: '7',
  CONTENT_STORE: `s3://kept/mail?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a bucket without conditional writes becomes a content store, and until then the reason is what it answered', async () => {
  await expect(contentStore()).rejects.toMatchObject({ failure: 'absent' });
  refusal = 'AccessDenied';
  await expect(prepareContentStore()).rejects.toMatchObject({ failure: 'away' });
  await expect(contentStore()).rejects.toMatchObject({ failure: 'away', message: 'AccessDenied: AccessDenied' });
  refusal = null;
  const { id } = await prepareContentStore();
  expect((await contentStore()).id).toBe(id);
  expect(objects.get('/kept/mail/store-id')?.toString()).toBe(id);
});
