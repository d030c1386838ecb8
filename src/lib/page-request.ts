/** The server's context for a page while it renders it. */
export type PageRequest = {
  /** Calls the console's API as the admin whose browser asks for the page. Fails once the page has waited long enough. */
  call: (url: string, init?: RequestInit) => Promise<Response>;
  /** The zone of the times: that of the profile once it is known, until then that of the browser's cookie. */
  timeZone: string;
  /** Makes it the answer 404. */
  setNotFound: () => void;
};

const KEY = Symbol.for('postroom.page-request');
const holder = globalThis as typeof globalThis & { [KEY]?: () => PageRequest | undefined };

/** Undefined in the browser, and on the server for a page that is rendered without data. */
export function currentPage(): PageRequest | undefined {
  return holder[KEY]?.();
}

/** Names the source of `currentPage`. It is not a module variable, because Next.js loads a module once per bundle. */
export function provideCurrentPage(source: () => PageRequest | undefined): void {
  holder[KEY] = source;
}
