import { z } from 'zod';
import { BYTE_ORDER_MARK } from '@/lib/csv/csv-line';

/** The output of a route that returns a file: bytes, or text that is generated while it is sent, whatever its size. */
export const FileOutput = z.object({
  filename: z.string(),
  /** Overrides the content type, for routes with several formats. */
  contentType: z.string().optional(),
  chunks: z.custom<AsyncIterable<string | Uint8Array>>((value) => typeof value === 'object' && value !== null),
});
export type FileOutput = z.infer<typeof FileOutput>;

/** Streams a file as a download. An error midway breaks the connection, so a partial file isn't mistaken for the whole. */
export function fileResponse(
  { filename, contentType: ownType, chunks }: FileOutput,
  { contentType, headers, isHead }: { contentType: string; headers: Headers; isHead: boolean },
): Response {
  const type = ownType ?? contentType;
  headers.set('Content-Type', type);
  headers.set('Content-Disposition', contentDisposition(filename));
  headers.set('Cache-Control', 'no-store');
  if (isHead) return new Response(null, { headers });
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (type.startsWith('text/csv')) controller.enqueue(encoder.encode(BYTE_ORDER_MARK));
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
  return new Response(body, { headers });
}

/** An ASCII name for every client, and the real one for those that know RFC 8187. */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\w.-]/g, '_');
  if (plain === filename) return `attachment; filename="${plain}"`;
  const safe = filename.toWellFormed().replace(/[\p{Cc}\p{Cf}/\\]/gu, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
