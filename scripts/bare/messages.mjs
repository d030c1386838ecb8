// Does what an admin does, with the app's API, and ends once it has happened. Run on the host as:
// node messages.mjs STEP URL EMAIL PASSWORD [TOKEN]
import { setTimeout as sleep } from 'node:timers/promises';

const [step = '', url, email, password, token] = process.argv.slice(2);
const WITHIN_MS = 60_000;
const DOMAIN = 'shop.example';
const textOf = (subject) => ({ subject, text_body: 'It works.' });

const STEPS = {
  /** Adds a domain with a DKIM key, two mailboxes and a template, and sends a message of it from one to the other. */
  async first() {
    const domain = await call('POST', '/domains', { name: DOMAIN });
    for (const name of ['ann', 'bo'])
      await call('POST', '/mailboxes', {
        domain_id: domain.id,
        local_part: name,
        password: 'paper boats on the canal',
      });
    const text = { subject: 'First message', text_body: 'It {{ verb }}.' };
    const template = { domain_id: domain.id, name: 'first', ...text, variables: [{ name: 'verb', type: 'string' }] };
    const { id } = await call('POST', '/templates', template);
    await call('POST', `/templates/${id}/publish`, {});
    await send(`bo@${DOMAIN}`, { template: { id, variables: { verb: 'works' } } });
    await until('/messages?direction=inbound', ({ status }) => status === 'received');
  },
  /** Adds a filter, and sends a message to a server that isn't there. */
  async waiting() {
    const script = 'require "fileinto";\nif header :contains "subject" "Invoice" { fileinto "Invoices"; }\n';
    await call('POST', '/sieve-filters', { scope: 'global', name: 'Invoices', script });
    await send('far@elsewhere.example', textOf('It waits'));
    await until('/messages', ({ subject, status }) => subject === 'It waits' && status === 'deferred');
  },
  /** Sends a message that the filter files, and one that it doesn't. */
  async more() {
    for (const subject of ['Invoice', 'After the upgrade']) {
      await send(`bo@${DOMAIN}`, textOf(subject));
      await received(subject);
    }
  },
  async last() {
    await send(`bo@${DOMAIN}`, textOf('Back again'));
    await received('Back again');
  },
};

// The token is that of the setup link, which makes the first admin.
const signedIn = await fetch(`${url}/api/${token ? 'trpc/auth.setup' : 'v1/auth/login'}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ token, email, password }),
});
if (!signedIn.ok) throw new Error(`Sign-in: ${await signedIn.text()}`);
const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
await STEPS[step]();

function send(to, content) {
  return call('POST', '/send', { from: { email: `ann@${DOMAIN}` }, to: [{ email: to }], ...content });
}

function received(subject) {
  return until('/messages?direction=inbound', (each) => each.subject === subject && each.status === 'received');
}

async function until(path, isDone) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const messages = await call('GET', path);
    if (messages.some(isDone)) return;
    if (Date.now() > deadline) throw new Error(`It did not happen: ${JSON.stringify(messages, null, 2)}`);
    // A message that is deferred while the mail server's services start is retried only after some minutes.
    await request('POST', '/queue/flush', {});
    await sleep(500);
  }
}

async function call(method, path, body) {
  const { data, error } = await request(method, path, body);
  if (error) throw new Error(`${method} ${path}: ${JSON.stringify(error)}`);
  return data;
}

async function request(method, path, body) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: body && JSON.stringify(body),
  });
  return response.json();
}
