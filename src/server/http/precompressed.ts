import { createReadStream, existsSync, readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

const URL_PREFIX = '/_next/static/';
const ENDING = '.br';
const TYPES: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};
/** Accepts `br`, unless its weight is 0. */
const BROTLI = /(?:^|,)\s*br\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?=,|$)/i;

type Responder = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Finds the responder for a file of the build that `npm run build` has compressed with brotli, for browsers that accept it. Next.js
 * compresses the others with gzip, on each request. A proxy leaves a response alone that has a Content-Encoding.
 * @param folder `.next/static`
 */
export function precompressedFiles(folder: string): (request: IncomingMessage) => Responder | undefined {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(ENDING));
  const fileOf = new Map(
    files.map((path) => [`${URL_PREFIX}${path.slice(0, -ENDING.length).split(sep).join('/')}`, join(folder, path)]),
  );
  return ({ method = '', url = '', headers }) => {
    const [path = ''] = url.split('?', 1);
    const file = fileOf.get(path);
    const type = TYPES[extname(path)];
    if (!file || !type || !BROTLI.test(String(headers['accept-encoding'] ?? '')) || headers.range) return undefined;
    // A build that began since may have removed it.
    if (!existsSync(file)) return undefined;
    return async (_request, response) => {
      response.writeHead(200, {
        'Content-Type': type,
        'Content-Encoding': 'br',
        // Files are named after their content.
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
      });
      if (method === 'HEAD') return void response.end();
      await pipeline(createReadStream(file), response).catch((error: unknown) => {
        if (!response.destroyed) throw error;
      });
    };
  };
}
