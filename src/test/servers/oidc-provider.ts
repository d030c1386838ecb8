import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the provider misbehaves for one browser, as set in its cookie `trick` at the authorization endpoint. */
export type Trick = {
  /** Overrides claims of a valid id_token; null removes one. */
  claims?: Record<string, unknown>;
  /** Overrides parameters of a valid callback; null removes one. */
  callback?: Record<string, string | null>;
  alg?: 'none' | 'HS256';
  /** Signs with an unpublished key. */
  isForged?: boolean;
  /** The claims that the userinfo endpoint returns. */
  userinfo?: Record<string, unknown>;
  token?: 'hangs' | 'drips' | 'fails' | 'without-id-token';
};

export type OidcProvider = { issuer: string; clientId: string; clientSecret: string; close(): Promise<void> };

type Grant = { trick: Trick; nonce: string; challenge: string; redirectUri: string };

type Algorithm = 'RS256' | 'ES256';

const keys = () => ({
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
const [published, unpublished] = [keys(), keys()];

/** The settings of the client that an admin of the provider chose. */
type Choices = { discovery?: Record<string, string>; algorithm?: Algorithm; isSecretPosted?: boolean };

/** An OpenID provider that signs in without asking and misbehaves on request. A code can be used repeatedly. */
export async function startOidcProvider(
  clientId: string,
  { discovery = {}, algorithm = 'RS256', isSecretPosted = false }: Choices = {},
): Promise<OidcProvider> {
  const clientSecret = randomBytes(16).toString('hex');
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/openid-configuration')
      return json(response, { ...endpoints(issuer), ...discovery });
    if (url.pathname === '/jwks') return json(response, { keys: [jwk(algorithm)] });
    if (url.pathname === '/authorize') return authorize(request, response, url.searchParams, grants);
    if (url.pathname === '/token') return void token(request, response, client);
    if (url.pathname === '/userinfo') return userinfo(request, response, grants);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { grants, issuer, clientId, clientSecret, algorithm, isSecretPosted };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, clientId, clientSecret, close };
}

function endpoints(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // As real ones do, it lists what it could sign with.
    id_token_signing_alg_values_supported: ['HS256', 'RS256', 'ES256'],
  };
}

function authorize(
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
  grants: Map<string, Grant>,
): void {
  const cookie = /(?:^|; )trick=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const trick: Trick = cookie ? JSON.parse(decodeURIComponent(cookie)) : {};
  const code = randomBytes(16).toString('hex');
  const redirectUri = query.get('redirect_uri') ?? '';
  grants.set(code, {
    trick,
    redirectUri,
    nonce: query.get('nonce') ?? '',
    challenge: query.get('code_challenge_method') === 'S256' ? (query.get('code_challenge') ?? '') : '',
  });
  const back = new URL(redirectUri);
  const answer = { code, state: query.get('state'), ...trick.callback };
  for (const [name, value] of Object.entries(answer)) if (value !== null) back.searchParams.set(name, value);
  response.writeHead(302, { location: back.href }).end();
}

type Client = {
  grants: Map<string, Grant>;
  issuer: string;
  clientId: string;
  clientSecret: string;
  algorithm: Algorithm;
  isSecretPosted: boolean;
};

async function token(request: IncomingMessage, response: ServerResponse, client: Client): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const grant = client.grants.get(form.get('code') ?? '');
  const given = client.isSecretPosted
    ? `${form.get('client_id')}:${form.get('client_secret')}`
    : Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
  if (given !== `${client.clientId}:${client.clientSecret}`) return json(response, { error: 'invalid_client' }, 401);
  const verifier = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (!grant || verifier !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri) {
    return json(response, { error: 'invalid_grant' }, 400);
  }
  const { trick } = grant;
  if (trick.token === 'hangs') return;
  if (trick.token === 'drips') return drip(response);
  if (trick.token === 'fails') return json(response, { error: 'server_error', error_description: 'hunter2' }, 500);
  const now = Math.floor(Date.now() / 1000);
  const { issuer, clientId } = client;
  const valid = { iss: issuer, aud: clientId, sub: 'nobody', iat: now, exp: now + 300, nonce: grant.nonce };
  const claims = Object.entries({ ...valid, ...trick.claims }).filter(([, value]) => value !== null);
  const idToken = jwt(Object.fromEntries(claims), { alg: client.algorithm, ...trick }, client.clientSecret);
  const answer = { access_token: form.get('code'), token_type: 'Bearer', expires_in: 300 };
  json(response, trick.token === 'without-id-token' ? answer : { ...answer, id_token: idToken });
}

function userinfo(request: IncomingMessage, response: ServerResponse, grants: Map<string, Grant>): void {
  const grant = grants.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
  if (grant?.trick.userinfo) json(response, { sub: grant.trick.claims?.sub, ...grant.trick.userinfo });
  else json(response, { error: 'invalid_token' }, 401);
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

function jwt(
  claims: object,
  { alg, isForged }: { alg: Algorithm | 'none' | 'HS256'; isForged?: boolean },
  secret: string,
) {
  const input = `${encode({ alg, kid: 'k', typ: 'JWT' })}.${encode(claims)}`;
  if (alg === 'none') return `${input}.`;
  if (alg === 'HS256') return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  const { privateKey } = (isForged ? unpublished : published)[alg];
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function jwk(algorithm: Algorithm): object {
  return { ...published[algorithm].publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: algorithm };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
