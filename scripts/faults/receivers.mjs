import { createHmac } from 'node:crypto';
import { createServer } from 'node:https';
import { generate } from 'selfsigned';

/**
 * HTTPS endpoints, one per path, that record the requests they get.
 * @param {(path: string, request: { headers: object }) => number | null} answer returns a status, or null to hang
 */
export async function startReceivers(answer, answerAfterMs = 0) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  /** @type {{ path: string, delivery: unknown, event: string, isSignedBy: (secret: string) => boolean, status: number | null }[]} */
  const requests = [];
  const server = createServer({ key, cert }, async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    const path = (request.url ?? '').slice(1);
    const status = answer(path, request);
    const { 'x-service-delivery': delivery, 'x-service-signature': signature } = request.headers;
    const { id: event } = JSON.parse(body.toString('utf8') || '{}');
    const isSignedBy = (secret) => signature === createHmac('sha256', secret).update(body).digest('hex');
    requests.push({ path, delivery, event, isSignedBy, status });
    if (status !== null) setTimeout(() => response.writeHead(status).end(), answerAfterMs);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `https://127.0.0.1:${port}`,
    cert,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
