/** The parts of an operation that the browser needs to call it. */
export type CalledOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  examplePath: string;
  /** An example of the body, null if it takes none. */
  body: string | null;
  /** The body that the form begins with. */
  prefilled: string;
  /** The name of the file that code saves. */
  file: string | null;
  isRedirect: boolean;
  isPublic: boolean;
  isSessionOnly: boolean;
  isChanging: boolean;
  confirmation: string | null;
  parameters: CalledParameter[];
};

export type CalledParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  type: string;
  description: string;
  isRequired: boolean;
  values: string[];
};

/** The entered values: parameters by their name, the body, and a key instead of the session. */
export type Entered = { values: Record<string, string>; body: string; key: string };

export type Prepared = { url: string; init: RequestInit };
/** Errors of parameters by their name. */
export type Unsendable = { errors: Record<string, string>; keyError?: string };

const UNSENDABLE = /[^\t\x20-\x7e]/u;

/** Returns the request, or why the browser can't send it. */
export function prepareRequest(operation: CalledOperation, { values, body, key }: Entered): Prepared | Unsendable {
  const { method, path, parameters } = operation;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const errors: Record<string, string> = {};
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = values[name]?.trim() ?? '';
    // A browser resolves these segments, and would call another operation.
    if (place === 'path' && /^\.\.?$/.test(value)) errors[name] = `A path can’t contain ${value} here.`;
    else if (place === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.set(name, value);
    else if (UNSENDABLE.test(value)) errors[name] = unsendable(value);
    else headers[name] = value;
  }
  const bare = keyOf(key);
  const keyError = UNSENDABLE.test(bare) ? unsendable(bare) : undefined;
  if (keyError || Object.keys(errors).length > 0) return { errors, keyError };
  if (bare !== '') headers.Authorization = `Bearer ${bare}`;
  const hasBody = operation.body !== null;
  if (hasBody) headers['Content-Type'] = 'application/json';
  return {
    url: `/api/v1${filled}${query.size > 0 ? `?${query}` : ''}`,
    init: {
      method,
      headers,
      body: hasBody ? body : undefined,
      credentials: bare === '' ? 'same-origin' : 'omit',
      // A page can't read where another site's page is, and needn't go there.
      redirect: 'manual',
    },
  };
}

/** Returns the key of what may be a copied header. */
export function keyOf(entered: string): string {
  return entered.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, '');
}

function unsendable(value: string): string {
  return `A header can’t contain “${UNSENDABLE.exec(value)?.[0]}”.`;
}
