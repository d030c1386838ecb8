/** What the browser needs of an operation to call it. */
export type CalledOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  examplePath: string;
  /** An example of the body, null if it takes none. */
  body: string | null;
  isPublic: boolean;
  isSessionOnly: boolean;
  parameters: CalledParameter[];
};

export type CalledParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  type: string;
  isRequired: boolean;
  values: string[];
};

/** What is sent: parameters by their name, the body, and a key instead of the session. */
export type Entered = { values: Record<string, string>; body: string; key: string };

export type Received = {
  status: string;
  milliseconds: number;
  headers: [name: string, value: string][];
  file: Blob;
  /** The beginning of the body, null if it is no text. */
  text: string | null;
  isCut: boolean;
};

const SHOWN_HEADERS =
  /^(?:content-(?:type|disposition)|etag|location|retry-after|x-(?:request-id|row-.*|ratelimit-.*)|ratelimit.*)$/;
const TEXT_TYPES = /^(?:text\/|application\/(?:json|x-ndjson|xml)|message\/)/;
const MAX_SHOWN = 64 * 1024;

/** Calls an operation. @throws if there is no response */
export async function callOperation(operation: CalledOperation, { values, body, key }: Entered): Promise<Received> {
  const { method, path, parameters } = operation;
  const query = new URLSearchParams();
  const headers = new Headers();
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && place === 'query') query.set(name, value);
    else if (value !== '') headers.set(name, value);
  }
  if (key !== '') headers.set('Authorization', `Bearer ${key}`);
  const hasBody = operation.body !== null;
  if (hasBody) headers.set('Content-Type', 'application/json');
  const startedAt = performance.now();
  const response = await fetch(`/api/v1${filled}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    headers,
    body: hasBody ? body : undefined,
    credentials: key === '' ? 'same-origin' : 'omit',
    // A page can't read where another site's page is, and needn't go there.
    redirect: 'manual',
  });
  const file = await response.blob();
  const isText = TEXT_TYPES.test(file.type);
  return {
    status: response.type === 'opaqueredirect' ? 'Redirection' : `${response.status} ${response.statusText}`.trim(),
    milliseconds: Math.round(performance.now() - startedAt),
    headers: [...response.headers].filter(([name]) => SHOWN_HEADERS.test(name)),
    file,
    text: isText ? await file.slice(0, MAX_SHOWN).text() : null,
    isCut: isText && file.size > MAX_SHOWN,
  };
}
