import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

const BODILESS = new Set(['GET', 'HEAD']);

/** The part of a request that handlers read. A Request of the Fetch API is one, but making it costs as much as a small call does. */
export type WebRequest = Pick<Request, 'method' | 'url' | 'body'> & { headers: WebHeaders };

/** The headers of a request, by their names in lower case. */
export type WebHeaders = {
  get(name: string): string | null;
  has(name: string): boolean;
  entries(): Iterable<[string, string]>;
};

/** The response of a handler: the Fetch API's own, or a text. */
export type WebResponse = Pick<Response, 'status' | 'headers' | 'body' | 'text' | 'json'>;

export type WebHandler = (request: WebRequest) => Promise<WebResponse>;

// The host is not part of any decision: links are made from APP_URL.
const ORIGIN = 'http://localhost';

/** Node's request for a handler. Its body is read from the socket only as fast as it is consumed. */
export function toWebRequest(request: IncomingMessage): WebRequest {
  const { method = 'GET', url = '/' } = request;
  const headers = new NodeHeaders(request.headers);
  const body = BODILESS.has(method) ? null : bodyOf(request);
  return { method, url: ORIGIN + url, headers, body };
}

class NodeHeaders implements WebHeaders {
  constructor(private readonly given: IncomingHttpHeaders) {}

  get(name: string): string | null {
    const value = this.given[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  }

  has(name: string): boolean {
    return this.given[name] !== undefined;
  }

  *entries(): Iterable<[string, string]> {
    for (const name of Object.keys(this.given)) {
      const value = this.get(name);
      if (value !== null) yield [name, value];
    }
  }
}

function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = request.iterator({ destroyOnReturn: false });
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A response whose text is written as it is. As a body, it would be encoded and read as a stream, which costs more than a small call. */
export class TextResponse implements WebResponse {
  readonly body = null;

  constructor(
    readonly content: string,
    readonly status: number,
    readonly headers: Headers,
  ) {}

  text(): Promise<string> {
    return Promise.resolve(this.content);
  }

  json(): Promise<unknown> {
    return this.text().then(JSON.parse);
  }
}

/** The Fetch API's own response, which Next.js needs. */
export function toResponse(answer: WebResponse): Response {
  if (answer instanceof Response) return answer;
  const { status, headers } = answer;
  return new Response(answer instanceof TextResponse ? answer.content : answer.body, { status, headers });
}

/**
 * Writes a handler's response, its body with `write`. A client that disconnects cancels the body.
 * @param write returns false while the client is slower than the app
 */
export async function respond(
  response: ServerResponse,
  answer: WebResponse,
  write: (chunk: Uint8Array) => boolean,
): Promise<void> {
  const { status, headers, body } = answer;
  response.statusCode = status;
  for (const [name, value] of headers) {
    if (name === 'set-cookie') response.appendHeader(name, value);
    else response.setHeader(name, value);
  }
  if (answer instanceof TextResponse && !response.destroyed) {
    const bytes = Buffer.from(answer.content);
    response.setHeader('Content-Length', bytes.byteLength);
    write(bytes);
  }
  if (!body) {
    response.end();
    return;
  }
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  response.once('close', cancel);
  try {
    let { done, value } = await reader.read();
    while (!done && !response.destroyed) {
      const chunk = value;
      ({ done, value } = await reader.read());
      if (done && !response.headersSent) response.setHeader('Content-Length', chunk?.byteLength ?? 0);
      if (chunk && !write(chunk) && !done) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  } finally {
    response.off('close', cancel);
  }
  response.end();
}
