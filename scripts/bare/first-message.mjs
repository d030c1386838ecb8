// Does what an admin does first: signs in, adds a domain with a DKIM key and two mailboxes, and sends a message from one to the
// other. Ends once the message was received. Run on the host as: node first-message.mjs URL EMAIL PASSWORD
import { setTimeout as sleep } from 'node:timers/promises';

const [url, email, password] = process.argv.slice(2);
const RECEIVED_WITHIN_MS = 60_000;
let cookie = '';

const signedIn = await fetch(`${url}/api/v1/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ email, password }),
});
cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';

const domain = await call('POST', '/domains', { name: 'shop.example' });
for (const name of ['ann', 'bo'])
  await call('POST', '/mailboxes', { domain_id: domain.id, local_part: name, password: 'paper boats on the canal' });
await call('POST', '/send', {
  from: { email: 'ann@shop.example' },
  to: [{ email: 'bo@shop.example' }],
  subject: 'First message',
  text_body: 'It works.',
});
const deadline = Date.now() + RECEIVED_WITHIN_MS;
while (Date.now() < deadline) {
  const messages = await call('GET', '/messages?direction=inbound');
  if (messages.some(({ status }) => status === 'received')) process.exit(0);
  await sleep(500);
}
console.error('The message was not received:', JSON.stringify(await call('GET', '/messages'), null, 2));
process.exit(1);

async function call(method, path, body) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: body && JSON.stringify(body),
  });
  const { data, error } = await response.json();
  if (error) throw new Error(`${method} ${path}: ${JSON.stringify(error)}`);
  return data;
}
