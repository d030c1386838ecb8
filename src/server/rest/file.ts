import { z } from 'zod';

/** The output of a route that returns a file. The text is generated while it is sent, so its size doesn't matter. */
export const FileOutput = z.object({
  filename: z.string(),
  /** Overrides the content type, for routes with several formats. */
  contentType: z.string().optional(),
  chunks: z.custom<AsyncIterable<string>>((value) => typeof value === 'object' && value !== null),
});
export type FileOutput = z.infer<typeof FileOutput>;

/** Streams a file as a download. An error midway breaks the connection, so a partial file isn't mistaken for the whole. */
export function fileResponse(
  { filename, contentType: ownType, chunks }: FileOutput,
  { contentType, headers, isHead }: { contentType: string; headers: Headers; isHead: boolean },
): Response {
  headers.set('Content-Type', ownType ?? contentType);
  headers.set('Content-Disposition', `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"`);
  headers.set('Cache-Control', 'no-store');
  if (isHead) return new Response(null, { headers });
  const iterator = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
  return new Response(body, { headers });
}
