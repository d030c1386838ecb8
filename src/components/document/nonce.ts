import { headers } from 'next/headers';

/** Returns the nonce of the scripts of the page that is rendered. */
export async function pageNonce(): Promise<string | undefined> {
  const policy = (await headers()).get('content-security-policy');
  return policy?.match(/'nonce-([^']+)'/)?.[1];
}
