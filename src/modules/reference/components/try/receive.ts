import type { Prepared } from './request';

export type Received = {
  status: string;
  milliseconds: number;
  headers: [name: string, value: string][];
  /** The part of the body that was read. */
  file: Blob;
  /** The name that the server gave the file. */
  name: string | null;
  /** Whether the body is longer than what was read. */
  isPartial: boolean;
  /** The beginning of the body, null if it is no text. */
  text: string | null;
};

const SHOWN_HEADERS =
  /^(?:content-(?:type|disposition)|etag|location|retry-after|x-(?:request-id|row-.*|ratelimit-.*)|ratelimit.*)$/;
const TEXT_TYPES = /^(?:text\/|application\/(?:json|x-ndjson|xml)|message\/)/;
export const MAX_SHOWN = 64 * 1024;
export const MAX_READ = 1024 * 1024;

/** Sends a request and reads its response up to a limit. @throws if there is no response, or after an abort */
export async function receive({ url, init }: Prepared, signal: AbortSignal): Promise<Received> {
  const startedAt = performance.now();
  const response = await fetch(url, { ...init, signal });
  const { file, isPartial } = await readBody(response);
  const disposition = response.headers.get('content-disposition') ?? '';
  return {
    status: response.type === 'opaqueredirect' ? 'Redirection' : `${response.status} ${response.statusText}`.trim(),
    milliseconds: Math.round(performance.now() - startedAt),
    headers: [...response.headers].filter(([name]) => SHOWN_HEADERS.test(name)),
    file,
    name: /filename="([^"]+)"/.exec(disposition)?.[1] ?? null,
    isPartial,
    text: TEXT_TYPES.test(file.type) ? await file.slice(0, MAX_SHOWN).text() : null,
  };
}

async function readBody(response: Response): Promise<{ file: Blob; isPartial: boolean }> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let isPartial = false;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    isPartial = size > MAX_READ;
    if (isPartial) {
      await reader.cancel();
      break;
    }
  }
  return { file: new Blob(chunks, { type: response.headers.get('content-type') ?? '' }), isPartial };
}
