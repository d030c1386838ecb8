import { z } from 'zod';

/** The answer of a route that gives a file: its text is made while it is sent, so that its size does not matter. */
export const FileAnswer = z.object({
  filename: z.string(),
  /** Where the route has more than one form. */
  contentType: z.string().optional(),
  chunks: z.custom<AsyncIterable<string>>((value) => typeof value === 'object' && value !== null),
});
export type FileAnswer = z.infer<typeof FileAnswer>;

/** Streams a file as a download. An error midway breaks the connection off, so that no half is taken for the whole. */
export function fileResponse(
  { filename, contentType: ownType, chunks }: FileAnswer,
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
