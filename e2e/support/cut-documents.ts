import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { url } from './fixtures';

const PAUSE_MS = 1000;

type CutNetwork = { url: string; cuts: () => number; stop: () => void };

/** A proxy in front of the app that pauses every document at this text. */
export async function cutDocuments(text: string): Promise<CutNetwork> {
  let cuts = 0;
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, host: new URL(url()).host, 'accept-encoding': 'identity' };
    const passedOn = request(`${url()}${asked.url}`, { method: asked.method, headers }, async (given) => {
      answer.writeHead(given.statusCode ?? 0, given.headers);
      if (!given.headers['content-type']?.startsWith('text/html')) return given.pipe(answer);
      const document = await buffer(given);
      const place = document.indexOf(text);
      answer.write(document.subarray(0, place));
      await delay(PAUSE_MS);
      cuts += 1;
      return answer.end(document.subarray(place));
    });
    asked.pipe(passedOn);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}`, cuts: () => cuts, stop: () => server.close() };
}
