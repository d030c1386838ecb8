import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type { OidcProvider } from '../../../src/test/servers/oidc-provider';

const SCOPE = 'openid email profile';

/** A real `oidc-provider` that signs in any account name. */
export async function startHarbourId(callback: string): Promise<OidcProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['postroom', randomBytes(16).toString('hex')];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callback] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: sub, email: `${sub}@harbour-id.example`, email_verified: true }),
    }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 300, IdToken: 300, Interaction: 300, Session: 300 },
  });
  const follow = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void follow(request, response);
    if (request.method === 'GET') return void response.setHeader('content-type', 'text/html').end(FORM);
    finish(provider, request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, clientId, clientSecret, close };
}

const FORM = `<!doctype html><html lang="en"><title>Harbour ID</title><form method="post">
<label>Account <input name="account"></label> <button>Continue</button></form></html>`;

async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('account') ?? '';
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope(SCOPE);
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}
